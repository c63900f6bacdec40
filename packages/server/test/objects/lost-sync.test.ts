import { hash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { StoredObject } from '../../src/objects/store.ts';
import { type DiskTestStore, openTestDiskStore } from './stores.ts';
import { NO_FAULTS, plantWorkerFaults } from './worker-faults.ts';

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

async function send(bytes: Buffer): Promise<StoredObject> {
  const object = { sha256: hash('sha256', bytes), size: bytes.length };
  const { url } = disk.store.presignPut({ storeId: 'lab', path: object.sha256, ...object }, 900);
  expect((await fetch(url, { method: 'PUT', body: new Uint8Array(bytes) })).status).toBe(200);
  return object;
}

/** The disk tells of lost bytes once: the next sync of the same file succeeds. */
function loseOneSync(): void {
  vi.spyOn(fs, 'fdatasync').mockImplementationOnce((_, done) => {
    setImmediate(() => done(Object.assign(new Error('EIO'), { code: 'EIO' })));
  });
  setThreadFaults({ ...NO_FAULTS, syncsUntilLost: 0 });
}

test.each([
  ['one upload', 1],
  ['many uploads', 100],
])('%s: promote fails on a failed sync, then reports lost files until sent again', async (_, count) => {
  const contents = Array.from({ length: count }, () => randomBytes(3_000));
  const uploads = await Promise.all(contents.map(send));
  loseOneSync();
  await expect(disk.store.promote('lab', uploads)).rejects.toMatchObject({ code: 'EIO' });
  vi.restoreAllMocks();
  setThreadFaults(NO_FAULTS);

  const lost = await disk.store.promote('lab', uploads);
  expect(lost).not.toEqual([]);
  await Promise.all(contents.filter((bytes) => lost.includes(hash('sha256', bytes))).map(send));
  expect(await disk.store.promote('lab', uploads)).toEqual([]);
});
