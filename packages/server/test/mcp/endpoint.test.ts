import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Actor } from '../actor.ts';
import { publish } from '../libraries/publish.ts';
import { startService, type TestService } from '../service.ts';

const ACCEPT = { accept: 'application/json, text/event-stream' };

let service: TestService;
let ada: Actor;
beforeAll(async () => {
  service = await startService({ configuration: { rateLimit: 1_000 } });
  ada = (await service.member('ada')).with(ACCEPT);
});
afterAll(() => service.close());

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

test('MCP requests from another origin are refused, even if it is another name of the same host', async () => {
  for (const origin of ['https://evil.example', 'null', service.url.replace('127.0.0.1', 'localhost')]) {
    const { status, body } = await ada.with({ origin, 'sec-fetch-site': 'same-origin' }).post('/mcp', list);
    expect([origin, status, body.error]).toEqual([origin, 403, 'forbidden']);
  }
  expect((await ada.with({ origin: service.url }).post('/mcp', list)).status).toBe(200);
});

test('an invalid token gets 401 from /mcp with a link to the protected resource metadata', async () => {
  const { status, headers, body } = await service.anonymous
    .with({ ...ACCEPT, authorization: 'Bearer nonsense' })
    .post('/mcp', list);
  expect([status, body.error]).toEqual([401, 'invalid_token']);
  const [, document = ''] = /resource_metadata="([^"]+)"/.exec(headers.get('www-authenticate') ?? '') ?? [];
  expect(document).toBe(`${service.url}/.well-known/oauth-protected-resource/mcp`);
  expect(await (await fetch(document)).json()).toEqual({
    resource: `${service.url}/mcp`,
    resource_name: 'Bindery',
    bearer_methods_supported: ['header'],
    scopes_supported: ['read', 'write'],
  });
});

test('a share token in the MCP URL gives no access', async () => {
  const assets = [{ id: 'arm', files: { 'arm.xml': '<mujoco/>' } }];
  const { shareToken } = await publish(ada, 'ada/robots', { assets, share: true });
  const read = { name: 'read_text_file', arguments: { library: 'ada/robots', path: 'arm.xml' } };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: read };
  const stranger = (await service.stranger()).with(ACCEPT);
  const { body } = await stranger.post(`/mcp?share=${shareToken}`, message);
  expect(JSON.stringify(body)).toContain('not_found');
  const opened = await stranger.get(`/namespaces/ada/libraries/robots?share=${shareToken}`);
  expect(opened.status).toBe(200);
});

test('a request with several MCP messages is refused', async () => {
  const { status, body } = await ada.post('/mcp', [list, list]);
  expect([status, body.error]).toEqual([400, 'bad_request']);
});

test.each(['GET', 'DELETE', 'PUT'])('%s /mcp gets 405, since only POST is allowed', async (method) => {
  const { status, headers } = await ada.send(method, '/mcp');
  expect([status, headers.get('allow')]).toEqual([405, 'POST']);
});

test('an MCP body that is too large or not JSON is refused', async () => {
  expect((await ada.post('/mcp', 'x'.repeat(200_000))).status).toBe(413);
  expect((await ada.post('/mcp', 'no json')).status).toBe(400);
  expect((await ada.with({ 'content-type': 'text/plain' }).post('/mcp', list)).status).toBe(415);
});

test('MCP requests count against the rate limit of their token', async () => {
  const limited = await startService({ configuration: { rateLimit: 2 }, stillClock: true });
  try {
    const [ben, eve] = [await limited.member('ben'), await limited.member('eve')];
    const ask = (actor: Actor) => actor.with(ACCEPT).post('/mcp', list);
    const answers = [await ask(ben), await ask(ben), await ask(ben)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers.map(({ headers }) => headers.get('ratelimit-remaining'))).toEqual(['1', '0', '0']);
    expect((await ask(eve)).status).toBe(200);
  } finally {
    await limited.close();
  }
});

test('a subscription to changes of the MCP tools is refused', async () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' };
  const params = { _meta: meta, notifications: { toolsListChanged: true } };
  const { body } = await ada
    .with(headers)
    .post('/mcp', { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params });
  expect(JSON.stringify(body)).toContain('Subscription limit reached');
});

test('no MCP message causes a server error', async () => {
  const message = fc.record(
    {
      jsonrpc: fc.constantFrom('2.0', '1.0'),
      id: fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
      method: fc.constantFrom('tools/call', 'tools/list', 'initialize', 'ping', 'nothing', '__proto__'),
      params: fc.oneof(
        fc.jsonValue(),
        fc.record({ name: fc.constantFrom('search_assets', '__proto__', ''), arguments: fc.jsonValue() }),
      ),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(message, async (value) => {
      expect((await ada.post('/mcp', JSON.stringify(value))).status).toBeLessThan(500);
    }),
    { numRuns: 100 },
  );
});

test('a service of role auth has no MCP endpoint', async () => {
  const auth = await startService({ configuration: { role: 'auth' } });
  try {
    expect((await auth.anonymous.with(ACCEPT).post('/mcp', list)).status).toBe(404);
  } finally {
    await auth.close();
  }
});
