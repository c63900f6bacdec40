import type { lookup } from 'node:dns';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ReceiverAddresses } from '../../src/adapters/allowed-addresses.ts';
import { createWebhookTransport } from '../../src/adapters/webhooks/http-transport.ts';
import { type Receiver, startReceiver } from './receiver.ts';

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const send = (networks: string[], url: string, resolve?: typeof lookup) =>
  createWebhookTransport({ networks, ...(resolve && { resolve }) }).send({
    url,
    headers: {},
    body: '{}',
    signal: new AbortController().signal,
  });

const REFUSED = { kind: 'failed', error: expect.stringContaining('not of the public internet') };

/** A resolver that answers these addresses in turn, as a name that is changed between two look-ups. */
function answering(...answers: string[]): typeof lookup {
  return ((_name: string, _options: unknown, callback: (...found: unknown[]) => void) => {
    const address = answers.length > 1 ? answers.shift() : answers[0];
    callback(null, [{ address, family: address?.includes(':') ? 6 : 4 }]);
  }) as unknown as typeof lookup;
}

test.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.0.1',
  '169.254.169.254',
  '172.31.255.255',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '2001::1',
  '2001:db8::1',
  'fc00::1',
  'fe80::1',
  'ff02::1',
])('webhooks to %s are not allowed', (address) => {
  expect(new ReceiverAddresses([]).isAllowed(address)).toBe(false);
});

test.each(['1.1.1.1', '93.184.216.34', '172.32.0.1', '2606:4700:4700::1111'])(
  'webhooks to %s are allowed',
  (address) => {
    expect(new ReceiverAddresses([]).isAllowed(address)).toBe(true);
  },
);

test('networks added by the operator are allowed, but no other private addresses', () => {
  const own = new ReceiverAddresses(['10.1.0.0/16', 'fd00::7', 'loopback']);
  for (const address of ['10.1.9.9', 'fd00::7', '127.0.0.1', '::1'])
    expect(own.isAllowed(address)).toBe(true);
  for (const address of ['10.2.0.1', 'fd00::8', '192.168.0.1']) expect(own.isAllowed(address)).toBe(false);
});

test('nothing is sent to an internal address, however its host is written', async () => {
  const { port } = new URL(receiver.url);
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '0x7f.1', '2130706433', '[::ffff:127.0.0.1]', '0']) {
    expect(await send([], `https://${host}:${port}/`), host).toEqual(REFUSED);
    expect(await send([], `http://${host}:${port}/`), host).toEqual(REFUSED);
  }
  expect(receiver.received).toEqual([]);
});

test('nothing is sent to a name that resolves to a private address after it was checked', async () => {
  const { port } = new URL(receiver.url);
  const rebinding = answering('93.184.216.34', '127.0.0.1', '127.0.0.1');
  // Whoever looks a name up to check it gets a public address; the connection looks it up again.
  await new Promise((resolve) => rebinding('rebinding.example', { all: true }, resolve));
  expect(await send([], `https://rebinding.example:${port}/`, rebinding)).toEqual(REFUSED);
  expect(receiver.received).toEqual([]);
});

test('nothing is sent to a name with two loopback addresses, unless the operator allows loopback', async () => {
  const { port } = new URL(receiver.url);
  const both = ((_name: string, _options: unknown, callback: (...found: unknown[]) => void) =>
    callback(null, [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ])) as unknown as typeof lookup;
  expect(await send(['10.0.0.0/8'], `http://both.example:${port}/`, both)).toEqual(REFUSED);
  expect(await send(['loopback'], `http://both.example:${port}/`, both)).toMatchObject({ status: 204 });
});

test('a name that does not exist and one with an internal address fail alike', async () => {
  const missing = ((_name: string, _options: unknown, callback: (error: Error) => void) =>
    callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }))) as unknown as typeof lookup;
  const outcome = await send([], 'https://db.internal.example/', missing);
  expect(outcome).toEqual(await send([], 'https://db.internal.example/', answering('10.0.0.7')));
});

test('plain HTTP is sent only to networks that the operator allows', async () => {
  const transport = createWebhookTransport({ networks: [] });
  expect(transport.urlProblem('http://example.org/')).toBe('an https:// URL');
  expect(await send(['10.0.0.0/8'], 'http://public.example/', answering('93.184.216.34'))).toEqual(REFUSED);
});

test('an endless response body is not read: the connection is closed after the status arrives', async () => {
  let isClosed = false;
  receiver.answer = (response) => {
    response.writeHead(200);
    const more = setInterval(() => response.write('x'.repeat(65_536)), 1);
    response.on('close', () => {
      clearInterval(more);
      isClosed = true;
    });
  };
  expect(await send(['loopback'], receiver.url)).toMatchObject({ kind: 'answered', status: 200 });
  await expect.poll(() => isClosed).toBe(true);
});

test.each([
  ['switches protocols', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'],
  ['closes the connection before its headers end', 'HTTP/1.1 200 OK\r\nContent-'],
  ['closes the connection without a byte', ''],
  ['sends only informational responses', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
])('an attempt fails if the receiver %s', async (_what, bytes) => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const outcome = await send(['loopback'], `http://127.0.0.1:${port}/`);
    expect(outcome).toMatchObject({ kind: 'failed', error: expect.stringMatching(/connection|not HTTP/) });
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});
