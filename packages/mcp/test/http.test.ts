import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe } from 'vitest';
import { type Connect, describeCatalogTools } from './tools-suite.ts';

const overHttp: Connect = async ({ url, headers }, era) => {
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } });
  const mode = era === 'modern' ? 'auto' : 'legacy';
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return client;
};

describe('over HTTP', () => {
  describeCatalogTools(() => overHttp);
});
