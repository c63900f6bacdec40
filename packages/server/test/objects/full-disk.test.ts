import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BUNDLE } from '@bindery/contract';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { framed } from './bundle-frames.ts';
import { type DiskTestStore, openTestDiskStore } from './stores.ts';
import { NO_FAULTS, plantWorkerFaults } from './worker-faults.ts';

const SMALL = 2_000;
const LARGE = 1_000_000;

const setThreadFaults = plantWorkerFaults();

let disk: DiskTestStore;
beforeEach(async () => {
  disk = await openTestDiskStore();
});
afterEach(async () => {
  vi.restoreAllMocks();
  setThreadFaults(NO_FAULTS);
  await disk.close();
});

/** Lets `writes` calls of `fs.write` through and answers the later ones as a full disk does. */
function fillDiskAfter(writes: number): void {
  const original = fs.write;
  let left = writes;
  const full = (...args: unknown[]) => {
    left -= 1;
    if (left >= 0) return (original as (...args: unknown[]) => void)(...args);
    const done = args.at(-1) as (error: Error) => void;
    setImmediate(() => done(Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })));
  };
  vi.spyOn(fs, 'write').mockImplementation(full as typeof fs.write);
}

function announce(bytes: Buffer, path = 'scan.ply') {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { storeId: 'lab', path, size: bytes.length, sha256 };
}

async function put(url: string, bytes: Buffer) {
  const answer = await fetch(url, { method: 'PUT', body: new Uint8Array(bytes) });
  return { status: answer.status, body: answer.status === 200 ? null : await answer.json() };
}

test.each([
  [SMALL, 0],
  [LARGE, 0],
  [LARGE, 3],
])(
  'an upload of %i bytes to a disk full after %i writes gets 507, leaves nothing, and works once there is room',
  async (size, writes) => {
    const bytes = randomBytes(size);
    const upload = announce(bytes);
    const { url } = disk.store.presignPut(upload, 900);
    fillDiskAfter(writes);
    expect(await put(url, bytes)).toMatchObject({ status: 507, body: { error: 'storage_full' } });
    expect(await readdir(join(disk.folder, 'temporary'))).toEqual([]);
    expect(disk.received).toEqual([]);

    vi.restoreAllMocks();
    expect((await put(url, bytes)).status).toBe(200);
    expect(await disk.store.promote('lab', [{ sha256: upload.sha256, size }])).toEqual([]);
  },
);

test('a part sent to a full disk gets 507, and the parts before it are kept', async () => {
  const bytes = randomBytes(LARGE);
  const upload = { ...announce(bytes), uploadId: 'upload-1', partSize: LARGE / 2 };
  const part = (partNumber: number) => disk.store.presignPart(upload, partNumber, 900).url;
  await disk.store.beginMultipart(upload);
  expect((await put(part(1), bytes.subarray(0, LARGE / 2))).status).toBe(200);
  fillDiskAfter(2);
  expect((await put(part(2), bytes.subarray(LARGE / 2))).status).toBe(507);
  vi.restoreAllMocks();
  expect((await disk.store.storedParts(upload)).map(({ partNumber }) => partNumber)).toEqual([1]);
  expect((await put(part(2), bytes.subarray(LARGE / 2))).status).toBe(200);
  expect(await disk.store.completeMultipart(upload)).toEqual({ sha256: upload.sha256, size: LARGE });
});

test('a bundle sent to a full disk gets 507, keeps only the files written before, and can be sent again', async () => {
  const files = Array.from({ length: 9 }, (_, at) => announcedFile(`part-${at}.obj`));
  const body = Buffer.concat(
    files.map(({ upload, bytes }) =>
      framed(disk.store.presignPut(upload, 900).url.slice(disk.origin.length), bytes),
    ),
  );
  const putBundle = () => put(disk.origin + BUNDLE.path, body);
  const waiting = async () =>
    (
      await disk.store.findStaged(
        'lab',
        files.map(({ upload }) => upload),
      )
    ).size;
  const told = () => new Set(disk.received.map(({ upload }) => upload.path)).size;

  setThreadFaults({ ...NO_FAULTS, writesUntilFull: 4 });
  expect(await putBundle()).toMatchObject({ status: 507, body: { error: 'storage_full' } });
  expect([await waiting(), told()]).toEqual([4, 4]);
  expect(await readdir(join(disk.folder, 'temporary'))).toEqual([]);

  setThreadFaults(NO_FAULTS);
  expect((await putBundle()).status).toBe(200);
  expect([await waiting(), told()]).toEqual([9, 9]);
  expect(
    await disk.store.promote(
      'lab',
      files.map(({ upload }) => upload),
    ),
  ).toEqual([]);
});

function announcedFile(path: string) {
  const bytes = randomBytes(SMALL);
  return { bytes, upload: announce(bytes, path) };
}
