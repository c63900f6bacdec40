import { Client, type ElicitResult, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { BINDERY, createTerminalUser } from '../../cli/test/command-line.ts';
import type { Actor } from '../../server/test/actor.ts';
import type { Era } from './tools-suite.ts';

interface AgentOptions {
  era?: Era;
  /** The folder below which it may work. */
  root?: string;
  /** What the person at the client says when asked; without it nobody can be asked. */
  person?: (message: string) => ElicitResult;
}

/** An agent on this machine: the real command in a process of its own, with the actor's token. */
export async function startAgent({ url, headers }: Actor, options: AgentOptions = {}): Promise<Client> {
  const { era = 'modern', root, person } = options;
  const { environment } = await createTerminalUser(url);
  const token = headers.authorization?.replace('Bearer ', '');
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BINDERY, 'mcp', ...(root === undefined ? [] : ['--root', root])],
    env: { ...environment, ...(token ? { BINDERY_TOKEN: token } : {}) },
  });
  const mode = era === 'modern' ? 'auto' : 'legacy';
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode }, capabilities: person ? { elicitation: { form: {} } } : {} },
  );
  if (person) client.setRequestHandler('elicitation/create', ({ params }) => person(params.message));
  await client.connect(transport);
  return client;
}

/** An agent somewhere else, which reaches the service over HTTP. */
export async function connectOverHttp({ url, headers }: Actor, era: Era): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } });
  const mode = era === 'modern' ? 'auto' : 'legacy';
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return client;
}
