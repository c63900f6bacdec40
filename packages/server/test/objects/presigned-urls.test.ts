import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DiskTestStore, openTestDiskStore } from './stores.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const SMALL = randomBytes(1_000);
const LARGE = randomBytes(700_000);

let disk: DiskTestStore;
let ahead = 0;

beforeAll(async () => {
  disk = await openTestDiskStore({ clock: () => Date.now() + ahead });
  await disk.store.write('lab', SMALL);
  await disk.store.write('lab', LARGE);
  await disk.store.write('lab', Buffer.alloc(0));
});
afterAll(() => disk.close());

function addressOf(bytes: Uint8Array, fileName = 'arm.glb'): string {
  return disk.store.presignGet({ storeId: 'lab', sha256: sha256(bytes) }, fileName, 900);
}

function get(bytes: Uint8Array, headers: Record<string, string> = {}, method = 'GET') {
  return fetch(addressOf(bytes), { method, headers });
}

function putAddress(bytes: Uint8Array, announced: { size?: number; sha256?: string | null } = {}): string {
  const size = announced.size ?? bytes.length;
  const upload = { storeId: 'lab', path: 'a/b.bin', size, sha256: announced.sha256 ?? null };
  return disk.store.presignPut(upload, 900).url;
}

async function temporaryFiles() {
  return readdir(join(disk.folder, 'temporary'));
}

async function waits(bytes: Uint8Array) {
  const found = await disk.store.findStaged('lab', [{ sha256: sha256(bytes), size: bytes.length }]);
  return found.size === 1;
}

test('a file is a sandboxed attachment that is cached forever', async () => {
  const answer = await get(SMALL);
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'accept-ranges': 'bytes',
    'access-control-allow-origin': '*',
    'cache-control': 'private, max-age=31536000, immutable',
    'content-disposition': 'attachment; filename="arm.glb"',
    'content-length': '1000',
    'content-security-policy': "sandbox; default-src 'none'",
    'content-type': 'model/gltf-binary',
    'cross-origin-resource-policy': 'cross-origin',
    etag: `"${sha256(SMALL)}"`,
    'x-content-type-options': 'nosniff',
  });
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

test.each([
  ['page.html', 'application/octet-stream', 'attachment; filename="page.html"'],
  ['drawing.svg', 'application/octet-stream', 'attachment; filename="drawing.svg"'],
  ['Textur.PNG', 'image/png', 'attachment; filename="Textur.PNG"'],
  [
    'Körper "1".stl',
    'model/stl',
    `attachment; filename="K_rper _1_.stl"; filename*=UTF-8''K%C3%B6rper%20%221%22.stl`,
  ],
  [
    "it's (100%).bin",
    'application/octet-stream',
    `attachment; filename="it_s _100__.bin"; filename*=UTF-8''it%27s%20%28100%25%29.bin`,
  ],
])('%s is served as %s', async (fileName, type, disposition) => {
  const answer = await fetch(addressOf(SMALL, fileName));
  expect(answer.headers.get('content-type')).toBe(type);
  expect(answer.headers.get('content-disposition')).toBe(disposition);
});

test('HEAD returns the status and length of GET without the bytes', async () => {
  const answer = await get(LARGE, {}, 'HEAD');
  expect([answer.status, answer.headers.get('content-length')]).toEqual([200, '700000']);
  expect(await answer.text()).toBe('');
});

test('If-None-Match with the ETag of the file gets 304, with any other ETag the file', async () => {
  const etag = `"${sha256(SMALL)}"`;
  expect((await get(SMALL, { 'if-none-match': etag })).status).toBe(304);
  expect((await get(SMALL, { 'if-none-match': `"other", W/${etag}` })).status).toBe(304);
  expect((await get(SMALL, { 'if-none-match': '"other"' })).status).toBe(200);
});

test('If-None-Match with * gets 304, but not * within a list or an unquoted tag', async () => {
  expect((await get(SMALL, { 'if-none-match': '*' })).status).toBe(304);
  expect((await get(SMALL, { 'if-none-match': '"other", *' })).status).toBe(200);
  expect((await get(SMALL, { 'if-none-match': sha256(SMALL) })).status).toBe(200);
});

test('If-Match with the ETag of the file or * gets the file, with any other or a weak ETag 412', async () => {
  const etag = `"${sha256(SMALL)}"`;
  expect((await get(SMALL, { 'if-match': `"other", ${etag}` })).status).toBe(200);
  expect((await get(SMALL, { 'if-match': '*' })).status).toBe(200);
  for (const tags of ['"other"', `W/${etag}`, '']) {
    const answer = await get(SMALL, { 'if-match': tags, range: 'bytes=0-1' });
    expect([tags, answer.status, (await answer.json()).error]).toEqual([tags, 412, 'precondition_failed']);
  }
});

test('If-Range returns the range if the ETag matches, and the whole file otherwise', async () => {
  const range = { range: 'bytes=0-9' };
  expect((await get(SMALL, { ...range, 'if-range': `"${sha256(SMALL)}"` })).status).toBe(206);
  expect((await get(SMALL, { ...range, 'if-range': '"other"' })).status).toBe(200);
});

test('any single range gets exactly those bytes, or 416 if it starts beyond the end', async () => {
  const bound = fc.integer({ min: 0, max: LARGE.length + 10 });
  const range = fc.oneof(
    fc.tuple(bound, bound).map(([from, to]) => `${from}-${to}`),
    bound.map((from) => `${from}-`),
    bound.map((suffix) => `-${suffix}`),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(SMALL, LARGE, Buffer.alloc(0)), range, async (bytes, text) => {
      const answer = await get(bytes, { range: `bytes=${text}` });
      const body = Buffer.from(await answer.arrayBuffer());
      const [from, to] = text.split('-');
      const size = bytes.length;
      if (size === 0 || (from !== '' && to !== '' && Number(to) < Number(from))) {
        expect(answer.status).toBe(200);
        expect(body.equals(bytes)).toBe(true);
        return;
      }
      const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
      const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
      if (start >= size || (from === '' && Number(to) === 0)) {
        expect([answer.status, answer.headers.get('content-range')]).toEqual([416, `bytes */${size}`]);
        return;
      }
      expect([answer.status, answer.headers.get('content-range')]).toEqual([
        206,
        `bytes ${start}-${end}/${size}`,
      ]);
      expect(body.equals(bytes.subarray(start, end + 1))).toBe(true);
    }),
    { numRuns: 150 },
  );
});

test.each(['bytes=0-1,x', 'items=0-1', 'bytes=x-1', 'bytes=-'])(
  'the range "%s" gets the whole file',
  async (range) => {
    const answer = await get(SMALL, { range });
    expect(answer.status).toBe(200);
    expect((await answer.arrayBuffer()).byteLength).toBe(1_000);
  },
);

test('a download or upload URL with any character changed gets 403', async () => {
  const addresses = [addressOf(SMALL), putAddress(SMALL, { sha256: sha256(SMALL) })];
  const prefix = `${disk.origin}/storage/`.length;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...addresses),
      fc.nat(),
      fc.constantFrom(...'abcdef0123456789_-=&%/?'),
      async (address, place, character) => {
        const at = prefix + (place % (address.length - prefix));
        fc.pre(address[at] !== character);
        const forged = address.slice(0, at) + character + address.slice(at + 1);
        const method = address === addresses[0] ? 'GET' : 'PUT';
        const answer = await fetch(forged, method === 'GET' ? {} : { method, body: new Uint8Array(SMALL) });
        expect(answer.status).toBe(403);
        expect(await answer.json()).toMatchObject({ error: 'invalid_signature' });
      },
    ),
    { numRuns: 150 },
  );
  expect(await waits(SMALL)).toBe(false);
});

test('a URL for one method gets 403 with another, and unsupported methods get 405', async () => {
  expect((await fetch(addressOf(SMALL), { method: 'PUT', body: 'x' })).status).toBe(403);
  expect((await fetch(putAddress(SMALL))).status).toBe(403);
  const answer = await fetch(addressOf(SMALL), { method: 'DELETE' });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, PUT, OPTIONS']);
});

test('an expired URL gets url_expired, with the request id of the header', async () => {
  const addresses = [addressOf(SMALL), putAddress(SMALL)];
  ahead = 1_201_000;
  try {
    for (const [at, address] of addresses.entries()) {
      const answer = await fetch(address, at === 0 ? {} : { method: 'PUT', body: new Uint8Array(SMALL) });
      expect(answer.status).toBe(403);
      expect(await answer.json()).toMatchObject({
        error: 'url_expired',
        requestId: answer.headers.get('x-request-id'),
      });
    }
  } finally {
    ahead = 0;
  }
});

test('a CORS preflight for an upload is allowed', async () => {
  const answer = await fetch(putAddress(SMALL), { method: 'OPTIONS' });
  expect(answer.status).toBe(204);
  expect(answer.headers.get('access-control-allow-methods')).toContain('PUT');
});

test.each([
  ['shorter', 999],
  ['longer', 1_001],
])('an announced size %s than the body gets 422, and the body is not staged', async (_, size) => {
  const bytes = randomBytes(1_000);
  const answer = await fetch(putAddress(bytes, { size }), { method: 'PUT', body: bytes });
  expect(answer.status).toBe(422);
  expect(await answer.json()).toMatchObject({ error: 'upload_mismatch' });
  expect(await waits(bytes)).toBe(false);
});

test.each([1_000, 400_000])(
  'a streamed body of another length than the announced %i gets 422 and leaves nothing',
  async (size) => {
    for (const sent of [size - 1, size + 1]) {
      const bytes = randomBytes(sent);
      const body = new Blob([bytes]).stream();
      const answer = await fetch(putAddress(bytes, { size }), {
        method: 'PUT',
        body,
        duplex: 'half',
      } as RequestInit);
      expect(answer.status).toBe(422);
      expect(await waits(bytes)).toBe(false);
    }
    expect(await temporaryFiles()).toEqual([]);
  },
);

test('an upload with a flipped bit gets 422 if its hash was announced', async () => {
  for (const size of [1_000, 400_000]) {
    const bytes = randomBytes(size);
    const address = putAddress(bytes, { sha256: sha256(bytes) });
    bytes[size >> 1]! ^= 1;
    const answer = await fetch(address, { method: 'PUT', body: bytes });
    expect(answer.status).toBe(422);
    expect(await waits(bytes)).toBe(false);
  }
  expect(await temporaryFiles()).toEqual([]);
});

test('an upload cut off at any byte leaves nothing, and the next try succeeds', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(1_000, 400_000),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      async (size, part) => {
        const bytes = randomBytes(size);
        const url = new URL(putAddress(bytes, { sha256: sha256(bytes) }));
        const socket = connect(Number(url.port), url.hostname);
        await once(socket, 'connect');
        socket.write(
          `PUT ${url.pathname}${url.search} HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n`,
        );
        const written = new Promise((resolve) =>
          socket.write(bytes.subarray(0, Math.floor(size * part)), resolve),
        );
        await written;
        socket.destroy();
        await expect.poll(temporaryFiles).toEqual([]);
        expect(await waits(bytes)).toBe(false);
        expect((await fetch(url, { method: 'PUT', body: bytes })).status).toBe(200);
        expect(await waits(bytes)).toBe(true);
      },
    ),
    { numRuns: 20 },
  );
});

test('a client that aborts a download does not disturb later ones', async () => {
  const leaving = new AbortController();
  const answer = await fetch(addressOf(LARGE), { signal: leaving.signal });
  await answer.body!.getReader().read();
  leaving.abort();
  expect((await (await get(LARGE)).arrayBuffer()).byteLength).toBe(LARGE.length);
});
