import { hash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rounds } from '../../../../test/faults.ts';
import type { MultipartUpload, StoredObject } from '../../src/objects/store.ts';
import { type ManualPut, startManualPut } from './manual-put.ts';
import { type DiskTestStore, openTestDiskStore } from './stores.ts';

const ROUNDS = rounds({ short: 10, long: 500 });

/** More than is gathered before a file is opened: the bytes are written as they come. */
const PART = 300 * 1024;
const PARTS = 2;

let disk: DiskTestStore;
beforeEach(async () => {
  disk = await openTestDiskStore();
});
afterEach(() => disk.close());

async function begin(bytes: Buffer): Promise<MultipartUpload> {
  const upload = {
    storeId: 'lab',
    path: 'scan.ply',
    size: bytes.length,
    sha256: hash('sha256', bytes),
    uploadId: randomBytes(8).toString('hex'),
    partSize: PART,
  };
  await disk.store.beginMultipart(upload);
  return upload;
}

const slice = (bytes: Buffer, partNumber: number) =>
  bytes.subarray((partNumber - 1) * PART, partNumber * PART);

const addressOf = (upload: MultipartUpload, partNumber: number) =>
  disk.store.presignPart(upload, partNumber, 900).url;

async function sendPart(upload: MultipartUpload, partNumber: number, bytes: Buffer): Promise<number> {
  const body = new Uint8Array(bytes);
  const answer = await fetch(addressOf(upload, partNumber), { method: 'PUT', body });
  await answer.arrayBuffer();
  return answer.status;
}

async function expectIntact({ sha256 }: StoredObject): Promise<void> {
  expect(hash('sha256', await disk.store.read({ storeId: 'lab', sha256 }))).toBe(sha256);
}

test('a stalled attempt at a part cannot change a file that another attempt completed', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const bytes = randomBytes(PARTS * PART);
    const upload = await begin(bytes);
    const stalled = startManualPut(addressOf(upload, 1), PART);
    const quick = startManualPut(addressOf(upload, 1), PART);
    await quick.send(slice(bytes, 1));
    expect(await quick.status).toBe(200);
    expect(await sendPart(upload, 2, slice(bytes, 2))).toBe(200);
    const object = await disk.store.completeMultipart(upload);
    expect(await disk.store.promote('lab', [object])).toEqual([]);

    await stalled.send(randomBytes(PART));
    expect(await stalled.status).not.toBe(200);
    await expectIntact(object);
  }
});

test('after an abort, parts in progress and new parts get 404 and leave nothing behind', async () => {
  const bytes = randomBytes(PARTS * PART);
  const upload = await begin(bytes);
  const underWay = startManualPut(addressOf(upload, 1), PART);
  await underWay.send(slice(bytes, 1).subarray(1));
  await disk.store.abortMultipart(upload);
  await underWay.send(slice(bytes, 1).subarray(0, 1));
  expect(await underWay.status).toBe(404);
  expect(await sendPart(upload, 2, slice(bytes, 2))).toBe(404);
  expect(await disk.store.storedParts(upload)).toEqual([]);
  expect(await disk.store.deleteAbandoned(Date.now() + 60_000)).toEqual({ objects: 0, bytes: 0 });
});

test('concurrent attempts at the same part all succeed, and the file is complete', async () => {
  const bytes = randomBytes(PARTS * PART);
  const upload = await begin(bytes);
  const attempts = [1, 2, 1, 2, 1, 2].map((partNumber) =>
    sendPart(upload, partNumber, slice(bytes, partNumber)),
  );
  expect(await Promise.all(attempts)).toEqual([200, 200, 200, 200, 200, 200]);
  const { sha256, size } = await disk.store.completeMultipart(upload);
  expect({ sha256, size }).toEqual({ sha256: upload.sha256, size: upload.size });
});

test('six concurrent completions, and a later one, return the same result', async () => {
  const bytes = randomBytes(PARTS * PART);
  const upload = await begin(bytes);
  for (const partNumber of [1, 2]) await sendPart(upload, partNumber, slice(bytes, partNumber));
  const expected = { sha256: upload.sha256, size: upload.size };
  const completed = await Promise.all(Array.from({ length: 6 }, () => disk.store.completeMultipart(upload)));
  expect(completed).toEqual(Array.from({ length: 6 }, () => expected));
  expect(await disk.store.promote('lab', [expected as StoredObject])).toEqual([]);
  expect(await disk.store.completeMultipart(upload)).toEqual(expected);
});

test('a part sent after completion is accepted if it has the same bytes, and gets 404 otherwise', async () => {
  const bytes = randomBytes(PARTS * PART);
  const upload = await begin(bytes);
  for (const partNumber of [1, 2]) await sendPart(upload, partNumber, slice(bytes, partNumber));
  const object = await disk.store.completeMultipart(upload);
  expect(await sendPart(upload, 1, slice(bytes, 1))).toBe(200);
  expect(await sendPart(upload, 1, randomBytes(PART))).toBe(404);
  expect(await disk.store.promote('lab', [object])).toEqual([]);
  await expectIntact(object);
});

/** What somebody does with an upload; writers are told apart by their place. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('write' as const), writer: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('complete' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('promote' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('abort' as const) }) },
);

test('objects match their hashes after any concurrent writes, completions, promotions and aborts', async () => {
  const writer = fc.record({ partNumber: fc.integer({ min: 1, max: PARTS }), honest: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.array(writer, { minLength: 6, maxLength: 6 }),
      fc.array(step, { minLength: 10, maxLength: 30 }),
      async (writers, steps) => {
        const bytes = randomBytes(PARTS * PART);
        const upload = await begin(bytes);
        for (const partNumber of [1, 2]) await sendPart(upload, partNumber, slice(bytes, partNumber));
        const puts = writers.map(({ partNumber, honest }) => ({
          put: startManualPut(addressOf(upload, partNumber), PART),
          rest: honest ? slice(bytes, partNumber) : randomBytes(PART),
        }));
        const failures: unknown[] = [];
        const running = steps.map((what) => perform(what).catch((error: unknown) => failures.push(error)));
        await Promise.all(running);
        for (const { put, rest } of puts) if (rest.length > 0) await put.send(rest);
        const statuses = await Promise.all(puts.map(({ put }) => put.status));
        for (const status of statuses) expect([200, 404, null]).toContain(status);
        for (const failure of failures) expect(failure).toHaveProperty('status', expect.toSatisfy(isRefusal));
        for await (const object of disk.store.list('lab')) await expectIntact(object);

        async function perform(what: (typeof steps)[number]): Promise<unknown> {
          switch (what.kind) {
            case 'write':
              return sendSome(puts[what.writer]!);
            case 'complete':
              return disk.store.completeMultipart(upload);
            case 'promote':
              return disk.store.promote('lab', [{ sha256: upload.sha256 ?? '', size: upload.size }]);
            case 'abort':
              return disk.store.abortMultipart(upload);
          }
        }
      },
    ),
    { numRuns: ROUNDS },
  );
});

async function sendSome(writer: { put: ManualPut; rest: Buffer }): Promise<void> {
  const piece = writer.rest.subarray(0, PART / 3);
  writer.rest = writer.rest.subarray(piece.length);
  if (piece.length > 0) await writer.put.send(piece);
}

const isRefusal = (status: number) => status >= 400 && status < 500;
