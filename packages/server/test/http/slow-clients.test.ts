import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Transfer } from '@bindery/contract';
import { afterEach, describe, expect, test } from 'vitest';
import { NO_METRICS } from '../../src/metrics.ts';
import { startService, type TestService, type TestServiceOptions } from '../service.ts';

const LARGE = randomBytes(24 * 1024 * 1024);

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(options: TestServiceOptions): Promise<TestService> {
  const service = await startService(options);
  closers.push(service.close);
  return service;
}

/** A connection that its client never closes by itself. */
async function open({ url }: TestService): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on('error', () => {});
  closers.push(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Sends a byte again and again until the connection is closed by the other end. */
async function dripUntilClosed(socket: Socket, everyMs: number): Promise<void> {
  const closed = new AbortController();
  socket.once('close', () => closed.abort());
  socket.resume();
  while (!closed.signal.aborted) {
    socket.write('x');
    await sleep(everyMs);
  }
}

/** Reads what still arrives, and returns how many bytes the other end sent before it closed the connection. */
async function readUntilClosed(socket: Socket): Promise<number> {
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.once('end', () => socket.destroy());
  socket.resume();
  await closed;
  return socket.bytesRead;
}

async function presigned(service: TestService, bytes: Buffer): Promise<URL> {
  await service.context.objects.write('lab', bytes);
  const object = { storeId: 'lab', sha256: hash('sha256', bytes) };
  return new URL(service.context.objects.presignGet(object, 'a.bin', 900));
}

async function uploadAddress(service: TestService, size: number): Promise<URL> {
  const ada = await service.member('ada');
  const asked = { files: [{ relativePath: 'hammer/hammer.stl', size }] };
  const path = '/namespaces/ada/libraries/tools/upload-authorizations';
  const { body } = await ada.post<{ files: { transfer: Transfer }[] }>(path, asked);
  const transfer = body.files[0]?.transfer;
  if (transfer?.kind !== 'single-put') throw new Error(`asked to transfer by ${transfer?.kind}`);
  return new URL(transfer.put.url);
}

describe('a connection', () => {
  test('whose headers never end is closed, even if its client keeps sending', async () => {
    const service = await start({ timeouts: { headersTimeout: 500, connectionsCheckingInterval: 100 } });
    const sockets = await Promise.all(Array.from({ length: 20 }, () => open(service)));
    for (const socket of sockets) socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ');
    await Promise.all(sockets.map((socket, at) => dripUntilClosed(socket, at % 2 === 0 ? 50 : 400)));
  });

  test('that does not speak HTTP is closed, even if its client keeps sending', async () => {
    const socket = await open(await start({}));
    socket.write('nonsense\r\n\r\n');
    await dripUntilClosed(socket, 50);
  });

  test('that sends a body byte by byte is closed', async () => {
    const service = await start({ timeouts: { minimumRateWindow: 1_000 } });
    const [upload, call] = [await open(service), await open(service)];
    const { pathname, search } = await uploadAddress(service, LARGE.length);
    upload.write(`PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Length: ${LARGE.length}\r\n\r\n`);
    call.write('POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\n');
    await Promise.all([dripUntilClosed(upload, 20), dripUntilClosed(call, 20)]);
  });

  test('whose client does not read the response is closed', async () => {
    let ended = 0;
    const metrics = { ...NO_METRICS, bytesTransferred: () => void ended++ };
    const service = await start({ timeouts: { minimumRateWindow: 1_000 }, metrics });
    const { pathname, search } = await presigned(service, LARGE);
    const socket = await open(service);
    socket.pause();
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await expect.poll(() => ended, { timeout: 60_000 }).toBe(1);
    expect(await readUntilClosed(socket)).toBeLessThan(LARGE.length);
  });

  test('that is slow but above the minimum transfer rate is served to the end', async () => {
    const service = await start({
      timeouts: { minimumRateWindow: 1_500 },
      configuration: { minTransferRate: 1_024 },
    });
    const bytes = randomBytes(30_000);
    const { pathname, search } = await uploadAddress(service, bytes.length);
    const socket = await open(service);
    socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes.length}\r\n\r\n`);
    const answered = once(socket, 'data');
    for (let at = 0; at < bytes.length; at += 1_000) {
      socket.write(bytes.subarray(at, at + 1_000));
      await sleep(100);
    }
    const [answer] = await answered;
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('transfers', () => {
  test('are rate-limited, counted separately from API requests', async () => {
    const service = await start({ configuration: { rateLimit: 3 }, stillClock: true });
    const url = await presigned(service, randomBytes(10));
    const statuses: number[] = [];
    for (let time = 0; time < 3; time++) statuses.push((await fetch(url)).status);
    const refused = await fetch(url);
    expect([...statuses, refused.status]).toEqual([200, 200, 200, 429]);
    expect(await refused.json()).toMatchObject({ error: 'rate_limited', requestId: expect.any(String) });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await service.anonymous.get('/libraries')).status).toBe(200);
    service.advance(60);
    expect((await fetch(url)).status).toBe(200);
  });

  test('from one address have a concurrency limit that does not affect other addresses', async () => {
    const configuration = { maxTransfersPerAddress: 2, trustedProxies: ['loopback'] };
    const service = await start({ configuration });
    const url = await presigned(service, LARGE);
    const unread = [await askFrom('192.0.2.1', url), await askFrom('192.0.2.1', url)];
    const refused = await askFrom('192.0.2.1', url);
    expect([...unread, refused].map(({ statusCode }) => statusCode)).toEqual([200, 200, 503]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(await json(refused)).toMatchObject({ error: 'unavailable' });
    const other = await askFrom('192.0.2.2', url);
    expect(other.statusCode).toBe(200);
    for (const answer of [...unread, other]) answer.destroy();
    const small = await presigned(service, randomBytes(10));
    const statusAgain = async () => (await askFrom('192.0.2.1', small)).statusCode;
    await expect.poll(statusAgain, { timeout: 60_000 }).toBe(200);
  });

  test('from all addresses together have a concurrency limit', async () => {
    const service = await start({ configuration: { maxTransfers: 1, trustedProxies: ['loopback'] } });
    const url = await presigned(service, LARGE);
    const unread = await fetch(url, { headers: { 'x-forwarded-for': '192.0.2.1' } });
    expect((await fetch(url, { headers: { 'x-forwarded-for': '192.0.2.2' } })).status).toBe(503);
    await unread.body?.cancel();
  });
});

/** Asks through a proxy that names this address. The answer is not read. */
async function askFrom(address: string, url: URL): Promise<IncomingMessage> {
  const asking = get(url, { agent: false, headers: { 'x-forwarded-for': address } });
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  answer.on('error', () => {});
  return answer;
}
