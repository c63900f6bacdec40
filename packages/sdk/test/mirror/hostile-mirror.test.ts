import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openTransport } from '../../src/index.ts';
import { openMirror } from '../../src/mirror/mirror.ts';
import { type Handler, hangUp } from '../client/misbehaving-server.ts';
import { folderWith, temporaryFolder } from '../folder.ts';
import { idOf, mirrorOf, objectPath, readAll, send } from './objects.ts';

const bytes = randomBytes(1_500_000);
const object = idOf(bytes);
const flipped = Buffer.from(bytes);
flipped[700_000] = (flipped[700_000] ?? 0) ^ 1;

const integrity = (message: RegExp) => ({ name: 'IntegrityError', message: expect.stringMatching(message) });
const refused = (message: RegExp) => ({ name: 'MirrorError', message: expect.stringMatching(message) });

/** Ends nothing until its reader goes away. */
const endless =
  (status: number): Handler =>
  (_, response) => {
    response.writeHead(status);
    const piece = Buffer.alloc(64 * 1024);
    const more = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', more);
    more();
  };

describe('a mirror server that', () => {
  test.each<[string, Handler, object]>([
    ['flips a bit', send(flipped), integrity(/has other bytes in place of the object/)],
    ['swaps objects', send(randomBytes(bytes.length)), integrity(/has other bytes in place of/)],
    ['truncates the object', send(bytes.subarray(0, -1)), integrity(/has 1499999 of its 1500000 bytes/)],
    ['sends nothing', send(''), integrity(/has 0 of its 1500000 bytes/)],
    ['adds a byte', send(Buffer.concat([bytes, Buffer.alloc(1)])), integrity(/more than its 1500000 bytes/)],
    ['sends bytes without end', endless(200), integrity(/more than its 1500000 bytes/)],
    [
      'compresses the object without being asked',
      send(gzipSync(bytes), { 'content-encoding': 'gzip' }),
      integrity(/more than/),
    ],
    [
      'lacks the object',
      (_, response) => void response.writeHead(404).end(),
      refused(/has no objects\/..\/[0-9a-f]{64}/),
    ],
    ['sends a 404 with an endless body', endless(404), refused(/has no objects/)],
    ['sends a 500 with an endless body', endless(500), refused(/responded with status 500/)],
    ['asks for a password', (_, response) => void response.writeHead(401).end(), refused(/with status 401/)],
    [
      'sends a part without being asked',
      (_, response) => void response.writeHead(206, { 'content-range': 'bytes 7-9/10' }).end(bytes),
      refused(/a different part/),
    ],
    ['returns 304 Not Modified', (_, response) => void response.writeHead(304).end(), refused(/status 304/)],
    ['hangs up', hangUp, { name: 'NetworkError' }],
  ])('%s is refused, and the reader never gets the complete object', async (_, handler, problem) => {
    const { mirror } = await mirrorOf({}, handler);
    const { bytes: given, error } = await readAll(mirror, object);
    expect(error).toMatchObject(problem);
    expect(given.length).toBeLessThan(bytes.length);
  });

  test('redirects is not followed', async () => {
    const { mirror: elsewhere, server } = await mirrorOf({}, send(bytes));
    const location = `${server.url}/stick/${objectPath(object)}`;
    const { mirror } = await mirrorOf({}, (_, response) => void response.writeHead(302, { location }).end());
    expect((await readAll(mirror, object)).error).toMatchObject(refused(/redirect/));
    expect(server.requests).toHaveLength(0);
    expect((await readAll(elsewhere, object)).error).toBeNull();
  });

  test('sends a byte at a time is given up as too slow after one retry', async () => {
    const drip: Handler = (_, response) => {
      response.writeHead(200, { 'content-length': bytes.length }).flushHeaders();
      const timer = setInterval(() => response.write(Buffer.alloc(1)), 50);
      response.once('close', () => clearInterval(timer));
    };
    const transport = openTransport({ minimumRate: { rate: 1_024, sendWindow: 500, receiveWindow: 500 } });
    const { mirror, server } = await mirrorOf({ transport }, drip);
    const { error } = await readAll(mirror, object);
    expect(error).toMatchObject({ name: 'NetworkError', reason: 'TRANSFER_TOO_SLOW' });
    expect(server.requests).toHaveLength(2);
  });

  test('sends one byte per connection is given up within a few requests', async () => {
    const oneByte: Handler = (_, response) => {
      response.writeHead(200, { 'content-length': bytes.length });
      response.write(bytes.subarray(0, 1), () => response.socket?.destroySoon());
    };
    const retry = { attempts: 3, pause: 20, maxPause: 1_000 };
    const { mirror, server } = await mirrorOf({ retry }, oneByte);
    expect((await readAll(mirror, object)).error).toMatchObject({ name: 'NetworkError' });
    expect(server.requests.length).toBeLessThan(10);
  });
});

describe('a mirror folder that', () => {
  test.each([
    ['has an object with a flipped bit', flipped, integrity(/other bytes/)],
    ['has a truncated object', bytes.subarray(0, -1), integrity(/1499999 of its 1500000/)],
    [
      'has an object with an extra byte',
      Buffer.concat([bytes, Buffer.alloc(1)]),
      integrity(/more than its 1500000/),
    ],
  ])('%s is refused', async (_, content, problem) => {
    const { bytes: given, error } = await readAll(
      openMirror(folderWith({ [objectPath(object)]: content })),
      object,
    );
    expect(error).toMatchObject(problem);
    expect(given.length).toBeLessThan(bytes.length);
  });

  test('lacks the object is refused with an error that says so', async () => {
    const missing = join(temporaryFolder(), 'nothing');
    expect((await readAll(openMirror(missing), object)).error).toMatchObject(refused(/has no objects/));
  });

  test.each([
    ['a folder', (place: string) => mkdirSync(place)],
    ['a named pipe without a writer', (place: string) => execFileSync('mkfifo', [place])],
    ['a link to an endless device', (place: string) => symlinkSync('/dev/zero', place)],
  ])('has %s in place of the object is refused', async (_, make) => {
    const folder = temporaryFolder();
    const place = join(folder, objectPath(object));
    mkdirSync(dirname(place), { recursive: true });
    make(place);
    expect((await readAll(openMirror(folder), object)).error).toMatchObject(refused(/has no file/));
  });
});

test('a digest that is a path out of the mirror is never requested', async () => {
  const { mirror, server } = await mirrorOf({}, send(bytes));
  const { error } = await readAll(mirror, { sha256: '../../secret', size: 1 });
  expect(error).toBeInstanceOf(TypeError);
  expect(server.requests).toHaveLength(0);
});

test('reading from a mirror folder succeeds only with exactly the right bytes, whatever it holds', async () => {
  const small = fc.uint8Array({ maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(small, small, async (wanted, held) => {
      const id = idOf(wanted);
      const folder = folderWith({ [objectPath(id)]: held });
      const { bytes: given, error } = await readAll(openMirror(folder), id);
      const same = Buffer.from(wanted).equals(Buffer.from(held));
      expect(error === null).toBe(same);
      expect(given.equals(same ? Buffer.from(wanted) : Buffer.alloc(0))).toBe(true);
    }),
    { numRuns: 60 },
  );
});
