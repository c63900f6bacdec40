import { hash, randomBytes } from 'node:crypto';
import { BUNDLE } from '@bindery/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DiskTestStore, openTestDiskStore } from './stores.ts';

const FILES = [0, 1, 10, 5_000, 70_000, BUNDLE.fileBytes].map((size) => randomBytes(size));
const [, , SMALL = Buffer.alloc(0)] = FILES;
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

/** What a bundle of these addresses brings: a content, or the status in its place. */
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

test('any files come in the order of their addresses, missing ones among them', async () => {
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

test('an address that was not signed for reading by this store brings nothing, its neighbours come', async () => {
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

test('an address that has expired brings nothing, as one of another library does', async () => {
  const [early, another] = [addressOf(SMALL), addressOf(SMALL, { storeId: 'den' })];
  expect(await bundle([early, another])).toEqual([SMALL, 404]);
  ahead = 901_000;
  expect(await bundle([early, addressOf(SMALL)])).toEqual([403, SMALL]);
  ahead = 0;
});

test('one answer has an end: what would go beyond is left for other requests', async () => {
  const largest = FILES.at(-1) ?? Buffer.alloc(0);
  const fitting = BUNDLE.answerBytes / largest.length;
  const brought = await bundle(Array.from({ length: fitting + 3 }, () => addressOf(largest)));
  expect(brought.filter((it) => it === 413)).toHaveLength(3);
  expect(brought.filter((it) => Buffer.isBuffer(it) && it.equals(largest))).toHaveLength(fitting);
});

test.each([
  ['no address', '', 400, 'invalid_request'],
  ['too many addresses', 'x\n'.repeat(BUNDLE.addresses + 1), 400, 'invalid_request'],
  ['too long a body', 'x'.repeat(BUNDLE.requestBytes + 1), 413, 'payload_too_large'],
])('%s is refused', async (_, body, status, error) => {
  const answer = await post(body);
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({ error, message: expect.any(String) });
});

test.each(['GET', 'PUT', 'DELETE'])('%s is not what bundles are asked for with', async (method) => {
  const answer = await fetch(disk.origin + BUNDLE.path, { method });
  expect(answer.status).toBe(405);
  expect(answer.headers.get('allow')).toBe('POST, OPTIONS');
});

test('a reader who leaves in the middle does not disturb the others', async () => {
  const addresses = Array.from({ length: 30 }, () => addressOf(FILES.at(-1) ?? SMALL));
  const leaving = new AbortController();
  const answer = await post(addresses.join('\n'), leaving.signal);
  await answer.body?.getReader().read();
  leaving.abort();
  expect(await bundle([addressOf(SMALL)])).toEqual([SMALL]);
});
