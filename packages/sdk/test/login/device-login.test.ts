import { createHash } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import {
  awaitApproval,
  createClient,
  LoginRefusedError,
  newDeviceSecret,
  startLogin,
} from '../../src/index.ts';
import { type Handler, hangUp, json, serveInTurn } from '../client/misbehaving-server.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closers.splice(0).reverse()) await close();
});

async function authServer(...handlers: Handler[]) {
  const server = await serveInTurn(...handlers);
  const client = createClient({ baseUrl: server.url });
  closers.push(server.close, () => client.close());
  return { client, server };
}

const pending = {
  userCode: 'BCDF-GHJK',
  verificationUri: 'http://auth.example/device',
  verificationUriComplete: 'http://auth.example/device?user_code=BCDF-GHJK',
  interval: 5,
};
const soon = () => ({ ...pending, expiresAt: Date.now() + 60_000 });
const waiting = json(202, { error: 'authorization_pending' });
const approved = json(200, { access_token: 'token', token_type: 'Bearer', expires_in: 300 });

test('starting a login sends the hash of the device secret, never the secret', async () => {
  const bodies: string[] = [];
  const { client } = await authServer((request, response) => {
    request.on('data', (chunk) => bodies.push(String(chunk)));
    request.on('end', () =>
      json(200, {
        user_code: 'BCDF-GHJK',
        verification_uri: '/device',
        verification_uri_complete: '/device?user_code=BCDF-GHJK',
        expires_in: 600,
        interval: 5,
      })(request, response),
    );
  });
  const secret = newDeviceSecret();
  const started = await startLogin(client, secret, 'bindery on a laptop');
  expect(secret).toMatch(/^[0-9a-f]{64}$/);
  expect(bodies.map((body) => JSON.parse(body))).toEqual([
    {
      device_secret_hash: createHash('sha256').update(secret).digest('hex'),
      client_name: 'bindery on a laptop',
    },
  ]);
  expect(started.verificationUri).toBe(`${client.baseUrl}/device`);
});

test('waiting for approval continues through pending, a broken connection and a 503', async () => {
  const { client, server } = await authServer(waiting, hangUp, json(503, { error: 'unavailable' }), approved);
  expect(await awaitApproval(client, newDeviceSecret(), soon())).toBe('token');
  expect(server.requests).toHaveLength(4);
});

test('waiting for approval continues after slow_down', async () => {
  const { client } = await authServer(json(429, { error: 'slow_down' }, { 'retry-after': '1' }), approved);
  expect(await awaitApproval(client, newDeviceSecret(), soon())).toBe('token');
});

test.each([
  ['declined', json(403, { error: 'access_denied' })],
  ['expired', json(400, { error: 'expired_token' })],
  ['expired', json(404, { error: 'unknown_request' })],
] as const)('waiting for approval stops as %s', async (reason, answer) => {
  const { client } = await authServer(answer);
  const login = awaitApproval(client, newDeviceSecret(), soon());
  await expect(login).rejects.toMatchObject({ reason });
  await expect(login).rejects.toBeInstanceOf(LoginRefusedError);
});

test('waiting for approval stops as expired when the time is over, even if the server says pending', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const minute = soon();
  const { client, server } = await authServer(waiting, waiting, (request, response) => {
    vi.setSystemTime(minute.expiresAt);
    waiting(request, response);
  });
  await expect(awaitApproval(client, newDeviceSecret(), minute)).rejects.toMatchObject({
    reason: 'expired',
  });
  expect(server.requests).toHaveLength(3);
});

test('an abort stops waiting for approval', async () => {
  const { client } = await authServer(waiting);
  const controller = new AbortController();
  const login = awaitApproval(client, newDeviceSecret(), { ...soon(), interval: 60_000 }, controller.signal);
  controller.abort();
  await expect(login).rejects.toMatchObject({ name: 'AbortError' });
});
