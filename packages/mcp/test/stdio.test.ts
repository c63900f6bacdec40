import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe } from 'vitest';
import { BINDERY, newPerson } from '../../cli/test/command-line.ts';
import { type Connect, describeCatalogTools } from './tools-suite.ts';

/** The real command in a process of its own, with the actor's token. */
const overStdio: Connect = async ({ url, headers }, era) => {
  const { environment } = await newPerson(url);
  const token = headers.authorization?.replace('Bearer ', '');
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BINDERY, 'mcp'],
    env: { ...environment, ...(token ? { BINDERY_TOKEN: token } : {}) },
  });
  const mode = era === 'modern' ? 'auto' : 'legacy';
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return client;
};

describe('over stdio', () => {
  describeCatalogTools(() => overStdio);
});
