import { hash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EXT4, XFS } from '../../src/adapters/objects/disk/file-systems.ts';
import type { StoredObject } from '../../src/objects/store.ts';
import { FlushCommand, isRunning } from './flush-command.ts';
import { type DiskTestStore, openTestDiskStore } from './stores.ts';
import { NO_FAULTS, plantWorkerFaults } from './worker-faults.ts';

/** From this many files on, the file system is flushed. */
const MANY = 64;
const BTRFS = 0x9123683e;

const setThreadFaults = plantWorkerFaults();

let command: FlushCommand;
let disk: DiskTestStore;

beforeEach(() => {
  command = new FlushCommand();
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  setThreadFaults(NO_FAULTS);
  await disk.close();
  command.remove();
});

/** Opens a store on what seems to be a file system of this type. */
async function openStore(type = XFS): Promise<void> {
  const { statfs } = fs.promises;
  vi.spyOn(fs.promises, 'statfs').mockImplementation((async (path: string) =>
    Object.assign(await statfs(path), { type })) as typeof statfs);
  vi.stubEnv('PATH', command.path);
  disk = await openTestDiskStore();
}

async function send(bytes: Buffer): Promise<StoredObject> {
  const object = { sha256: hash('sha256', bytes), size: bytes.length };
  const { url } = disk.store.presignPut({ storeId: 'lab', path: object.sha256, ...object }, 900);
  expect((await fetch(url, { method: 'PUT', body: new Uint8Array(bytes) })).status).toBe(200);
  return object;
}

function sendMany(count = MANY): Promise<StoredObject[]> {
  return Promise.all(Array.from({ length: count }, () => send(randomBytes(3_000))));
}

/** Lets every sync of a single file fail. */
function failSyncs(): void {
  vi.spyOn(fs, 'fdatasync').mockImplementation((_, done) => {
    setImmediate(() => done(Object.assign(new Error('EIO'), { code: 'EIO' })));
  });
  setThreadFaults({ ...NO_FAULTS, syncsUntilLost: 0 });
}

function repairSyncs(): void {
  vi.mocked(fs.fdatasync).mockRestore();
  setThreadFaults(NO_FAULTS);
}

async function objects(): Promise<string[]> {
  return (await Array.fromAsync(disk.store.list('lab'))).map(({ sha256 }) => sha256);
}

test('from 64 files on, two flushes replace syncing each file and folder', async () => {
  await openStore();
  const uploads = await sendMany();
  failSyncs();
  const folderSyncs = vi.spyOn(fs, 'fsync');
  expect(await disk.store.promote('lab', uploads)).toEqual([]);
  expect(command.flushes).toBe(2);
  expect(folderSyncs.mock.calls.length).toBeLessThan(10);
  expect(await objects()).toHaveLength(MANY);
});

test('fewer files are synced one by one', async () => {
  await openStore();
  const uploads = await sendMany(MANY - 1);
  const syncs = vi.spyOn(fs, 'fdatasync');
  expect(await disk.store.promote('lab', uploads)).toEqual([]);
  expect(command.flushes).toBe(0);
  expect(syncs).toHaveBeenCalledTimes(MANY - 1);
});

test('files that are objects already do not count', async () => {
  await openStore();
  const before = await sendMany();
  await disk.store.promote('lab', before);
  const flushes = command.flushes;
  const [added] = await sendMany(1);
  expect(await disk.store.promote('lab', [...before, added as StoredObject])).toEqual([]);
  expect(command.flushes).toBe(flushes);
});

test('on other file systems each file is synced as well', async () => {
  await openStore(BTRFS);
  const uploads = await sendMany();
  failSyncs();
  await expect(disk.store.promote('lab', uploads)).rejects.toMatchObject({ code: 'EIO' });
  expect(await objects()).toEqual([]);
});

test.each([
  ['reports lost writes', 5, 'EIO'],
  ['finds the disk full', 28, 'ENOSPC'],
  ['ends', 'ends', 'unavailable'],
] as const)(
  'if the flush %s, nothing becomes an object; from then on each file is synced',
  async (_, answer, code) => {
    command.answer(answer);
    await openStore();
    const uploads = await sendMany();
    await expect(disk.store.promote('lab', uploads)).rejects.toMatchObject({ code });
    expect(await objects()).toEqual([]);

    const more = await sendMany();
    failSyncs();
    await expect(disk.store.promote('lab', more)).rejects.toMatchObject({ code: 'EIO' });
    repairSyncs();
    const lost = new Set(await disk.store.promote('lab', more));
    expect(lost.size).toBeGreaterThan(0);
    expect(await disk.store.promote('lab', uploads)).toEqual([]);
    expect(new Set(await objects())).toEqual(
      new Set([...uploads, ...more].map(({ sha256 }) => sha256).filter((sha256) => !lost.has(sha256))),
    );
    expect(command.flushes).toBe(1);
  },
);

test('what was staged before a failed flush is read again, and reported missing if its bytes are lost', async () => {
  command.answer(5);
  await openStore();
  const uploads = await sendMany();
  const torn = uploads[7] as StoredObject;
  await expect(disk.store.promote('lab', uploads)).rejects.toMatchObject({ code: 'EIO' });
  const staged = await disk.store.localFile({ storeId: 'lab', ...torn });
  fs.writeFileSync(staged, Buffer.alloc(torn.size));
  expect(await disk.store.promote('lab', uploads)).toEqual([torn.sha256]);
});

test('after a failed flush, all files that the disk lost are reported missing together', async () => {
  command.answer(5);
  await openStore();
  const uploads = await sendMany();
  await expect(disk.store.promote('lab', uploads)).rejects.toMatchObject({ code: 'EIO' });
  failSyncs();
  expect(new Set(await disk.store.promote('lab', uploads))).toEqual(
    new Set(uploads.map(({ sha256 }) => sha256)),
  );
  repairSyncs();
  expect(await disk.store.findStaged('lab', uploads)).toEqual(new Set());
  expect(await objects()).toEqual([]);
});

test('if the flush of the names fails, promote fails, and the next one syncs the folders', async () => {
  command.answer(0, 5);
  await openStore();
  const uploads = await sendMany();
  await expect(disk.store.promote('lab', uploads)).rejects.toMatchObject({ code: 'EIO' });
  const folderSyncs = vi.spyOn(fs, 'fsync');
  expect(await disk.store.promote('lab', uploads)).toEqual([]);
  const shards = new Set(uploads.map(({ sha256 }) => sha256.slice(0, 2)));
  expect(folderSyncs.mock.calls.length).toBe(shards.size + 2);
  expect(command.flushes).toBe(2);
});

test('a failed sync of a single file ends the flushes as well', async () => {
  await openStore();
  const uploads = await sendMany();
  const single = await sendMany(1);
  failSyncs();
  await expect(disk.store.promote('lab', single)).rejects.toMatchObject({ code: 'EIO' });
  repairSyncs();
  expect(await disk.store.promote('lab', [...uploads, ...(await sendMany())])).toEqual([]);
  expect(command.flushes).toBe(0);
});

test('if the flushing process was killed, each file is synced', async () => {
  await openStore();
  const uploads = await sendMany();
  for (const pid of command.processes) process.kill(pid, 'SIGKILL');
  await expect.poll(() => command.processes.some(isRunning)).toBe(false);
  // Its end is noticed with the next turn of the event loop.
  await new Promise(setImmediate);
  const syncs = vi.spyOn(fs, 'fsync');
  expect(await disk.store.promote('lab', uploads)).toEqual([]);
  expect(syncs.mock.calls.length).toBeGreaterThan(10);
  expect(command.flushes).toBe(0);
});

test('a file that is sent again during the flush is synced by itself', async () => {
  command.answer('waits');
  await openStore();
  const bytes = randomBytes(2_000);
  const uploads = [await send(bytes), ...(await sendMany())];
  const syncs = vi.spyOn(fs, 'fdatasync');
  const promoted = disk.store.promote('lab', uploads);
  await expect.poll(() => command.flushes).toBe(1);
  await send(bytes);
  command.release();
  expect(await promoted).toEqual([]);
  expect(syncs).toHaveBeenCalledOnce();
});

test('a file for which ext4 had no blocks is deleted and promote fails', async () => {
  await openStore();
  const [upload] = (await sendMany(1)) as [StoredObject];
  const staged = join(disk.folder, 'incoming', 'lab', upload.sha256);
  fs.truncateSync(staged, 0);
  fs.truncateSync(staged, upload.size);
  const stats = fs.statfsSync(disk.folder);
  vi.spyOn(fs, 'statfsSync').mockImplementation(() => Object.assign(stats, { type: EXT4 }));
  await expect(disk.store.promote('lab', [upload])).rejects.toMatchObject({ code: 'EIO' });
  expect(await disk.store.promote('lab', [upload])).toEqual([upload.sha256]);
  expect(await objects()).toEqual([]);
});

test('closing the store ends the flushing process', async () => {
  await openStore();
  expect(command.processes.map(isRunning)).toEqual([true]);
  await disk.store.close();
  expect(command.processes.map(isRunning)).toEqual([false]);
});
