import { routes } from '@bindery/contract';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/index.ts';
import { type Handler, hangUp, json, serveInTurn } from './misbehaving-server.ts';

async function talkTo(...handlers: Handler[]) {
  const server = await serveInTurn(...handlers);
  const client = createClient({ baseUrl: server.url, retry: { attempts: 2, pause: 1, maxPause: 1_000 } });
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  const connections = () => new Set(server.requests.map(({ socket }) => socket)).size;
  return { client, server, connections };
}

const registered = { params: { namespace: 'acme', name: 'arms' }, body: {} };
const smallBody = Buffer.from('a small bundle');

const echo: Handler = async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  response.writeHead(200, { etag: `"${Buffer.concat(chunks)}"` }).end();
};

test('a read, a small upload and a write that cannot be repeated share kept connections', async () => {
  const { client, connections } = await talkTo(json(200, {}), echo, json(201, {}));
  await client.call(routes.login.getProfile, {});
  const answer = await client.put({
    url: '/storage/bundle',
    headers: {},
    body: smallBody,
    size: smallBody.length,
  });
  for (let times = 0; times < 4; times++) await client.call(routes.libraries.registerLibrary, registered);
  expect(answer.etag).toBe('"a small bundle"');
  expect(connections()).toBeLessThanOrEqual(2);
});

test('a write whose kept connection breaks without an answer is not sent again', async () => {
  const { client, server } = await talkTo(json(200, {}), hangUp, json(201, {}));
  await client.call(routes.login.getProfile, {});
  const write = client.call(routes.libraries.registerLibrary, registered);
  await expect(write).rejects.toMatchObject({ name: 'NetworkError' });
  expect(server.requests).toHaveLength(2);
});

test('an upload whose kept connection breaks without an answer is sent again whole', async () => {
  const { client, server } = await talkTo(json(200, {}), hangUp, echo);
  await client.call(routes.login.getProfile, {});
  const answer = await client.put({
    url: '/storage/bundle',
    headers: {},
    body: smallBody,
    size: smallBody.length,
  });
  expect(answer.etag).toBe('"a small bundle"');
  expect(server.requests).toHaveLength(3);
});
