import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inputRequired, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { waitForExit } from '../../cli/test/command-line.ts';
import { startService, type TestService } from '../../server/test/service.ts';
import { newMcpServer, ToolError } from '../src/index.ts';
import { type AnyTool, defineTool, READ_ONLY } from '../src/tool.ts';
import { PNG } from './world.ts';

/** Scenarios about what the service does not offer, which no server of ours passes. */
const NOT_OFFERED = [
  ...['prompts-list', 'prompts-get-simple', 'prompts-get-with-args', 'prompts-get-embedded-resource'],
  'prompts-get-with-image',
  // No tool reports logs or progress, asks a model, or answers with sound or resources.
  ...['logging-set-level', 'tools-call-with-logging', 'tools-call-with-progress', 'tools-call-sampling'],
  ...['tools-call-audio', 'tools-call-embedded-resource', 'tools-call-mixed-content'],
  'completion-complete',
  // Its resources never change, and their addresses are its own.
  ...['resources-subscribe', 'resources-unsubscribe', 'resources-read-text', 'resources-read-binary'],
  'resources-templates-read',
  // No answer takes so long that its stream would be left and taken up again.
  'server-sse-polling',
];

/** Scenarios that call tools of these names, which a server for tests has. */
const NEED_FIXTURES = [
  ...['tools-call-simple-text', 'tools-call-image', 'tools-call-error', 'json-schema-2020-12'],
  ...['tools-call-elicitation', 'elicitation-sep1034-defaults', 'elicitation-sep1330-enums'],
];

let service: TestService;
let fixtures: Server;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bindery-conformance-'));
  service = await startService();
  fixtures = await startFixtures();
});
afterAll(async () => {
  await service.close();
  fixtures.closeAllConnections();
  await new Promise((resolve) => fixtures.close(resolve));
  await rm(folder, { recursive: true });
});

/** Runs all scenarios. Fails for one that fails and is not expected to, and for one that passes but is. */
async function runScenarios(url: string, expectedToFail: readonly string[]): Promise<string> {
  const baseline = join(folder, `${new URL(url).port}.yml`);
  await writeFile(baseline, JSON.stringify({ server: expectedToFail }));
  const require = createRequire(import.meta.url);
  const found = require.resolve('@modelcontextprotocol/conformance/package.json');
  const program = join(dirname(found), 'dist/index.js');
  const words = ['server', '--url', url, '--suite', 'all', '--expected-failures', baseline];
  const { stdout, code } = await waitForExit(spawn(process.execPath, [program, ...words], { cwd: folder }));
  // Its summary says which scenarios these are.
  expect(stdout.slice(stdout.indexOf('=== SUMMARY')), `exit code ${code}`).not.toMatch(/Unexpected|Stale/);
  expect(code).toBe(0);
  return stdout;
}

test('the service conforms to the protocol in what it offers', async () => {
  const told = await runScenarios(`${service.url}/mcp`, [
    ...NOT_OFFERED,
    ...NEED_FIXTURES,
    // It has no sessions, and so no streams that are open beside answers.
    'server-sse-multiple-streams',
  ]);
  for (const name of [
    'server-initialize',
    'ping',
    'tools-list',
    'resources-list',
    'dns-rebinding-protection',
  ])
    expect(told).toMatch(new RegExp(`✓ ${name}: [1-9]`));
});

test('tools conform to the protocol: text, images, errors, schemas and questions to the person', async () => {
  const { port } = fixtures.address() as AddressInfo;
  // Only the endpoint of the service knows its own host.
  const told = await runScenarios(`http://127.0.0.1:${port}/mcp`, [
    ...NOT_OFFERED,
    'dns-rebinding-protection',
  ]);
  for (const name of NEED_FIXTURES) expect(told).toMatch(new RegExp(`✓ ${name}: [1-9]`));
});

/** Tools as the scenarios want them, defined as ours are. */
function fixtureTools(): AnyTool[] {
  const base = { title: 'Test', description: 'For tests.', annotations: READ_ONLY, output: z.object({}) };
  const none = z.strictObject({});
  const asks = (
    name: string,
    requestedSchema: Parameters<typeof inputRequired.elicit>[0]['requestedSchema'],
  ) =>
    defineTool({
      ...base,
      name,
      input: z.strictObject({ message: z.string().default('Tell me') }),
      async run({ message }, { context }) {
        const responses = context.mcpReq.inputResponses;
        if (responses?.answer !== undefined) return { value: {}, text: JSON.stringify(responses.answer) };
        return inputRequired({
          inputRequests: { answer: inputRequired.elicit({ message, requestedSchema }) },
        });
      },
    });
  const options = ['option1', 'option2', 'option3'];
  const titled = options.map((value) => ({ const: value, title: value.toUpperCase() }));
  const address = z.object({ street: z.string(), city: z.string() }).meta({ id: 'address' });
  return [
    defineTool({
      ...base,
      name: 'test_simple_text',
      input: none,
      run: async () => ({ value: {}, text: 'This is a simple text response for testing.' }),
    }),
    defineTool({
      ...base,
      name: 'test_image_content',
      input: none,
      run: async () => ({
        value: {},
        pictures: [{ label: 'Image 1', picture: { mimeType: 'image/png', bytes: PNG } }],
      }),
    }),
    defineTool({
      ...base,
      name: 'test_error_handling',
      input: none,
      run: async () => {
        throw new ToolError('refused', 'This tool intentionally returns an error for testing');
      },
    }),
    defineTool({
      ...base,
      name: 'json_schema_2020_12_tool',
      input: z.strictObject({ name: z.string().optional(), address: address.optional() }),
      run: async () => ({ value: {} }),
    }),
    asks('test_elicitation', z.object({ username: z.string(), email: z.string() })),
    asks(
      'test_elicitation_sep1034_defaults',
      z.object({
        name: z.string().default('John Doe'),
        age: z.int().default(30),
        score: z.number().default(95.5),
        status: z.enum(['active', 'inactive', 'pending']).default('active'),
        verified: z.boolean().default(true),
      }),
    ),
    asks('test_elicitation_sep1330_enums', {
      type: 'object',
      properties: {
        untitledSingle: { type: 'string', enum: options },
        titledSingle: { type: 'string', oneOf: titled },
        legacyEnum: { type: 'string', enum: options, enumNames: ['One', 'Two', 'Three'] },
        untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
        titledMulti: { type: 'array', items: { anyOf: titled } },
      },
    }),
  ];
}

/** Serves them with sessions, which servers over stdin and stdout have as well. */
async function startFixtures(): Promise<Server> {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const open = async () => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        sessions.set(id, transport);
      },
    });
    const catalog = { readFile: () => Promise.reject(new ToolError('not_found', 'Nothing is here.')) };
    const onDefect = (error: unknown) => expect.unreachable(String(error));
    const parts = { version: '1', tools: fixtureTools(), catalog, viewer: null, onDefect };
    await newMcpServer(parts).connect(transport);
    return transport;
  };
  const server = createServer(async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const transport = (typeof id === 'string' && sessions.get(id)) || (await open());
    const answer = await transport.handleRequest(await toWebRequest(request));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body !== null) for await (const chunk of answer.body) response.write(chunk);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function toWebRequest(request: IncomingMessage): Promise<Request> {
  const { method = 'GET', url = '/', headers } = request;
  const body = method === 'POST' ? Buffer.concat(await Array.fromAsync(request)) : null;
  const sent = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]);
  return new Request(`http://${headers.host}${url}`, { method, headers: sent, body });
}
