import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { BUNDLE } from '@bindery/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { framed } from './bundle-frames.ts';
import { type DiskTestStore, openTestDiskStore } from './stores.ts';

const SMALL = randomBytes(10);
const LARGEST = randomBytes(BUNDLE.fileBytes);
const FILES = [SMALL, LARGEST, ...[0, 1, 5_000, 70_000].map((size) => randomBytes(size))];
const LARGE = randomBytes(BUNDLE.fileBytes + 1);

let disk: DiskTestStore;
let ahead = 0;

beforeAll(async () => {
  disk = await openTestDiskStore({ clock: () => Date.now() + ahead });
  for (const bytes of [...FILES, LARGE]) await disk.store.write('lab', bytes);
});
afterAll(() => disk.close());

function addressOf(
  bytes: Uint8Array,
  { storeId = 'lab', store = disk }: { storeId?: string; store?: DiskTestStore } = {},
) {
  const object = { storeId, sha256: hash('sha256', bytes) };
  return new URL(store.store.presignGet(object, 'arm.glb', 900)).href.slice(store.origin.length);
}

function post(body: string, signal: AbortSignal | null = null) {
  return fetch(disk.origin + BUNDLE.path, { method: 'POST', body, signal });
}

/** What a bundle of these URLs brings: a content, or the status in its place. */
async function bundle(addresses: readonly string[]): Promise<(Buffer | number)[]> {
  const answer = await post(addresses.join('\n'));
  expect(answer.status).toBe(200);
  const body = Buffer.from(await answer.arrayBuffer());
  const frames: (Buffer | number)[] = [];
  for (let at = 0; at < body.length; ) {
    const [status, length] = [body.readUInt32BE(at), body.readUInt32BE(at + 4)];
    at += BUNDLE.headBytes + length;
    if (status !== 200) expect(length).toBe(0);
    frames.push(status === 200 ? body.subarray(at - length, at) : status);
  }
  return frames;
}

test('a bundle has its files in the order of their URLs, with 404 or 413 for missing or large ones', async () => {
  const missing = randomBytes(8);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...FILES, LARGE, missing), { minLength: 1, maxLength: 30 }),
      async (files) => {
        const brought = await bundle(files.map((bytes) => addressOf(bytes)));
        const expected = files.map((bytes) => (bytes === missing ? 404 : bytes === LARGE ? 413 : bytes));
        expect(brought).toEqual(expected);
      },
    ),
    { numRuns: 20 },
  );
});

test('a URL not signed for reading by this store gets 403 in a bundle, and the other files are returned', async () => {
  const other = await openTestDiskStore();
  const upload = { storeId: 'lab', path: 'a.bin', size: 1, sha256: null };
  const genuine = addressOf(SMALL);
  const refused = [
    addressOf(SMALL, { store: other }),
    genuine.replace(/expires=(\d+)/, (_, seconds) => `expires=${Number(seconds) + 1}`),
    genuine.replace('/lab/', '/den/'),
    genuine.replace(/objects\/./, 'objects/_'),
    disk.store.presignPut(upload, 900).url.slice(disk.origin.length),
    disk.origin + genuine,
    `${genuine}\r`,
    '/etc/passwd',
    '',
  ];
  await other.close();
  const brought = await bundle(refused.flatMap((address) => [address, genuine]));
  expect(brought).toEqual(refused.flatMap(() => [403, SMALL]));
});

test('an expired URL gets 403 in a bundle, and one for a file that another library lacks gets 404', async () => {
  const [early, another] = [addressOf(SMALL), addressOf(SMALL, { storeId: 'den' })];
  expect(await bundle([early, another])).toEqual([SMALL, 404]);
  ahead = 1_201_000;
  expect(await bundle([early, addressOf(SMALL)])).toEqual([403, SMALL]);
  ahead = 0;
});

test('a bundle response has a size limit, and files beyond it get 413', async () => {
  const fitting = BUNDLE.bytes / LARGEST.length;
  const brought = await bundle(Array.from({ length: fitting + 3 }, () => addressOf(LARGEST)));
  expect(brought.filter((it) => it === 413)).toHaveLength(3);
  expect(brought.filter((it) => Buffer.isBuffer(it) && it.equals(LARGEST))).toHaveLength(fitting);
});

test.each([
  ['no URL', '', 400, 'invalid_request'],
  ['too many URLs', 'x\n'.repeat(BUNDLE.urls + 1), 400, 'invalid_request'],
  ['a body that is too long', 'x'.repeat(BUNDLE.requestBytes + 1), 413, 'payload_too_large'],
])('a bundle request with %s is refused', async (_, body, status, error) => {
  const answer = await post(body);
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({ error, message: expect.any(String) });
});

test.each(['GET', 'DELETE'])('%s on the bundle path gets 405', async (method) => {
  const answer = await fetch(disk.origin + BUNDLE.path, { method });
  expect(answer.status).toBe(405);
  expect(answer.headers.get('allow')).toBe('POST, PUT, OPTIONS');
});

test('every response below the storage path has its own request id', async () => {
  const present = { headers: { 'if-none-match': `"${hash('sha256', SMALL)}"` } };
  const answers = await Promise.all([
    post(addressOf(SMALL)),
    post(addressOf(SMALL)),
    post(''),
    fetch(disk.origin + BUNDLE.path, { method: 'OPTIONS' }),
    fetch(disk.origin + BUNDLE.path, { method: 'DELETE' }),
    fetch(disk.origin + addressOf(SMALL)),
    fetch(disk.origin + addressOf(SMALL), { method: 'HEAD' }),
    fetch(disk.origin + addressOf(SMALL), present),
    fetch(disk.origin + addressOf(randomBytes(9))),
    fetch(`${disk.origin}/storage/lab`),
    put(framed(putAddress(SMALL), SMALL)),
    fetch(disk.origin + putAddress(SMALL), { method: 'PUT', body: new Uint8Array(SMALL) }),
  ]);
  const ids = answers.map(({ headers }) => headers.get('x-request-id'));
  expect(ids.filter((id) => /^[0-9a-f-]{36}$/.test(id ?? ''))).toHaveLength(answers.length);
  expect(new Set(ids).size).toBe(answers.length);
  for (const answer of answers) await answer.arrayBuffer();
});

function putAddress(bytes: Uint8Array, { size = bytes.length, path = 'a/b.bin', store = disk } = {}) {
  const upload = { storeId: 'lab', path, size, sha256: hash('sha256', bytes) };
  return store.store.presignPut(upload, 900).url.slice(store.origin.length);
}

function put(body: Buffer<ArrayBuffer>) {
  return fetch(disk.origin + BUNDLE.path, { method: 'PUT', body });
}

async function waits(bytes: Uint8Array) {
  return (
    (await disk.store.findStaged('lab', [{ sha256: hash('sha256', bytes), size: bytes.length }])).size === 1
  );
}

describe('a bundle of uploads', () => {
  test('of any sizes is staged and reported file by file, however the body is split in transit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(0, 1, 3, 900, 70_000), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 100_000 }),
        async (sizes, step) => {
          const files = sizes.map((size, at) => ({ path: `f/${at}.bin`, bytes: randomBytes(size) }));
          const body = Buffer.concat(
            files.map(({ path, bytes }) => framed(putAddress(bytes, { path }), bytes)),
          );
          disk.received.length = 0;
          expect(await statusOfPieces(body, Math.max(step, body.length / 50))).toBe(200);
          for (const { bytes } of files) expect(await waits(bytes)).toBe(true);
          const told = disk.received.map(({ upload, stored }) => [upload.path, stored.sha256]);
          expect(told.sort()).toEqual(files.map(({ path, bytes }) => [path, hash('sha256', bytes)]).sort());
        },
      ),
      { numRuns: 15 },
    );
  });

  test('cut off at any byte keeps only the complete files and leaves nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 0.999, noNaN: true }), async (share) => {
        const files = Array.from({ length: 5 }, () => randomBytes(2_000));
        const frames = files.map((bytes) => framed(putAddress(bytes), bytes));
        const body = Buffer.concat(frames);
        const end = Math.floor(body.length * share);
        const status = await statusOfPieces(body.subarray(0, end), 10_000);
        let at = 0;
        for (const [index, bytes] of files.entries()) {
          at += frames[index]?.length ?? 0;
          expect(await waits(bytes)).toBe(at <= end);
        }
        expect([200, 400]).toContain(status);
        expect(await readdir(join(disk.folder, 'temporary'))).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });

  test('is refused with the status of its first bad file, which is not staged', async () => {
    const [right, wrong] = [randomBytes(50), randomBytes(50)];
    const other = await openTestDiskStore();
    const genuine = putAddress(wrong);
    const cases: [string, Buffer, number][] = [
      [genuine, randomBytes(50), 422],
      [putAddress(wrong, { store: other }), wrong, 403],
      [genuine.replace('/lab/', '/den/'), wrong, 403],
      [genuine.replace('size=50', 'size=49'), wrong, 403],
      [addressOf(SMALL), wrong, 403],
      ['forged', randomBytes(6 * 1024 * 1024), 403],
      ['', wrong, 403],
      ['x'.repeat(BUNDLE.urlBytes + 1), wrong, 400],
      [putAddress(LARGE), LARGE, 413],
    ];
    await other.close();
    for (const [address, content, status] of cases) {
      const answer = await put(Buffer.concat([framed(putAddress(right), right), framed(address, content)]));
      expect([address.slice(0, 80), answer.status]).toEqual([address.slice(0, 80), status]);
      expect(await answer.json()).toMatchObject({ message: expect.any(String) });
      expect(await waits(wrong)).toBe(false);
    }
    expect(await readdir(join(disk.folder, 'temporary'))).toEqual([]);
  });

  test('has a limit in files and in bytes', async () => {
    const none = framed(putAddress(Buffer.alloc(0)), Buffer.alloc(0));
    expect((await put(Buffer.concat(Array(BUNDLE.urls).fill(none)))).status).toBe(200);
    expect((await put(Buffer.concat(Array(BUNDLE.urls + 1).fill(none)))).status).toBe(400);
    const largest = framed(putAddress(LARGEST), LARGEST);
    const fitting = BUNDLE.bytes / LARGEST.length;
    expect((await put(Buffer.concat(Array(fitting).fill(largest)))).status).toBe(200);
    expect((await put(Buffer.concat(Array(fitting + 1).fill(largest)))).status).toBe(413);
  });

  test('with an expired URL is refused with url_expired', async () => {
    const bytes = randomBytes(50);
    const frame = framed(putAddress(bytes), bytes);
    ahead = 1_201_000;
    const answer = await put(frame);
    ahead = 0;
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ error: 'url_expired' });
    expect(await waits(bytes)).toBe(false);
  });
});

/** The status of a PUT whose body arrives in pieces. */
async function statusOfPieces(body: Buffer, step: number): Promise<number> {
  const { hostname, port } = new URL(disk.origin);
  const outgoing = request({ hostname, port, path: BUNDLE.path, method: 'PUT' });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  for (let at = 0; at < body.length; at += step) {
    outgoing.write(body.subarray(at, at + step));
    await new Promise(setImmediate);
  }
  outgoing.end();
  const [answer] = await answered;
  answer.resume();
  return answer.statusCode ?? 0;
}

test('a client that aborts a bundle download does not disturb later ones', async () => {
  const addresses = Array.from({ length: 30 }, () => addressOf(LARGEST));
  const leaving = new AbortController();
  const answer = await post(addresses.join('\n'), leaving.signal);
  await answer.body?.getReader().read();
  leaving.abort();
  expect(await bundle([addressOf(SMALL)])).toEqual([SMALL]);
});
