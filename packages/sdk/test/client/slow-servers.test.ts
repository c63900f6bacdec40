import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { routes } from '@bindery/contract';
import { afterEach, describe, expect, test } from 'vitest';
import { createClient, NetworkError, openTransport } from '../../src/index.ts';
import { type Handler, json, serveInTurn } from './misbehaving-server.ts';

const WINDOW = 1_000;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function talkTo(...handlers: Handler[]) {
  const server = await serveInTurn(...handlers);
  const transport = openTransport({
    minimumRate: { rate: 1_024, sendWindow: WINDOW, receiveWindow: WINDOW },
  });
  const client = createClient({
    baseUrl: server.url,
    retry: { attempts: 6, pause: 1, maxPause: 1_000 },
    transport,
  });
  closers.push(server.close, () => client.close());
  return { client, server, transport };
}

/** Begins an answer, then sends so many bytes again and again, however long anybody reads. */
function drip(bytes: number, everyMs: number, length = 10_000_000): Handler {
  return (_, response) => {
    response.writeHead(200, { 'content-length': length }).flushHeaders();
    const timer = setInterval(() => response.write(Buffer.alloc(bytes)), everyMs);
    response.once('close', () => clearInterval(timer));
  };
}

/** Takes the head of a request and nothing of its body. */
const takeNothing: Handler = (request) => {
  request.pause();
};

const sink = { onHead() {}, onBytes() {} };
const tooSlow = { name: 'NetworkError', reason: 'TRANSFER_TOO_SLOW' };

describe('a server that sends too slowly', () => {
  test.each([
    ['one byte every 50 ms', drip(1, 50)],
    ['nothing after the headers', drip(0, 1_000_000)],
    ['half the minimum rate', drip(25, 50)],
  ])('fails the transfer as too slow or stalled, without a retry: %s', async (_, handler) => {
    const { client, server } = await talkTo(handler);
    const transfer = client.downloadTo({ url: '/objects/abc' }, sink);
    await expect(transfer).rejects.toMatchObject(tooSlow);
    await expect(transfer).rejects.toThrow(/too slow or stalled/);
    expect(server.requests).toHaveLength(1);
  });

  test('is retried only once', async () => {
    const { client, server } = await talkTo(drip(1, 50));
    await expect(client.call(routes.login.getProfile, {})).rejects.toBeInstanceOf(NetworkError);
    expect(server.requests).toHaveLength(2);
  });

  test('does not fail a call whose retry succeeds', async () => {
    const { client } = await talkTo(drip(1, 50), json(200, { user: {} }));
    expect(await client.call(routes.login.getProfile, {})).toEqual({ user: {} });
  });
});

test('a slow response above the minimum rate is read to its end', async () => {
  const { client } = await talkTo((_, response) => {
    response.writeHead(200, { 'content-length': 30_000 });
    let sent = 0;
    const timer = setInterval(() => {
      sent += 1_000;
      response.write(Buffer.alloc(1_000));
      if (sent < 30_000) return;
      clearInterval(timer);
      response.end();
    }, 100);
  });
  const received: Buffer[] = [];
  const counting = { onHead() {}, onBytes: (bytes: Buffer) => void received.push(bytes) };
  await client.downloadTo({ url: '/objects/abc' }, counting);
  expect(Buffer.concat(received)).toHaveLength(30_000);
});

test('an upload that the server does not read fails as too slow', async () => {
  const { client } = await talkTo(takeNothing);
  const body = randomBytes(32 * 1024 * 1024);
  const headers = { 'content-length': String(body.length) };
  const upload = client.downloadTo({ method: 'PUT', url: '/storage/x', headers, body }, sink);
  await expect(upload).rejects.toMatchObject(tooSlow);
});

test('a large upload body arrives complete', async () => {
  const chunks: Buffer[] = [];
  const { client } = await talkTo(async (request, response) => {
    for await (const chunk of request) chunks.push(chunk);
    response.end();
  });
  const body = randomBytes(5_000_001);
  const headers = { 'content-length': String(body.length) };
  await client.downloadTo({ method: 'PUT', url: '/storage/x', headers, body }, sink);
  expect(Buffer.concat(chunks).equals(body)).toBe(true);
});

test('a slow reader does not fail the transfer as too slow', async () => {
  const bytes = randomBytes(20 * 1024 * 1024);
  const { transport, server } = await talkTo((_, response) => response.end(bytes));
  const { body } = await transport.send({ method: 'GET', url: `${server.url}/objects/abc`, headers: {} });
  await sleep(3 * WINDOW);
  expect(Buffer.concat(await body.toArray()).equals(bytes)).toBe(true);
});
