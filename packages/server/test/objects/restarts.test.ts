import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { MultipartUpload } from '../../src/objects/store.ts';
import { type DiskTestStore, openTestDiskStore } from './stores.ts';

const PART = 100_000;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

let folder: string;
let disk: DiskTestStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bindery-restarts-'));
  disk = await openTestDiskStore({ folder });
});
afterEach(async () => {
  await disk.close();
  await rm(folder, { recursive: true });
});

/** What a power cut does to bytes that nobody had synced. */
async function loseBytes(path: string, from: number, length: number): Promise<void> {
  const file = await open(path, 'r+');
  await file.write(Buffer.alloc(length), 0, length, from);
  await file.close();
}

async function restart(): Promise<void> {
  await disk.close();
  disk = await openTestDiskStore({ folder });
}

async function send(bytes: Uint8Array) {
  const upload = { storeId: 'lab', path: 'a', size: bytes.length, sha256: sha256(bytes) };
  const { url } = disk.store.presignPut(upload, 900);
  expect((await fetch(url, { method: 'PUT', body: new Uint8Array(bytes) })).status).toBe(200);
  return { sha256: upload.sha256, size: upload.size };
}

/** The folder of the staging area, whose name says since which start of the machine it is used. */
async function stagingArea(): Promise<string> {
  const areas = (await readdir(folder)).filter((name) => name.startsWith('incoming'));
  expect(areas).toHaveLength(1);
  return join(folder, areas[0] ?? '');
}

test('uploads staged before the service restarted are promoted, though not those from before the machine did', async () => {
  const objects = [await send(randomBytes(5_000)), await send(randomBytes(5_000))] as const;
  const [first, second] = objects;
  await restart();
  expect(await disk.store.findStaged('lab', objects)).toEqual(new Set([first.sha256, second.sha256]));
  expect(await disk.store.promote('lab', [first])).toEqual([]);
  await disk.close();
  const staging = await stagingArea();
  await rename(staging, join(folder, 'incoming-of-another-start'));
  disk = await openTestDiskStore({ folder });
  expect(await stagingArea()).toBe(staging);
  expect(await disk.store.findStaged('lab', objects)).toEqual(new Set());
  expect(await disk.store.promote('lab', objects)).toEqual([second.sha256]);
  expect((await Array.fromAsync(disk.store.list('lab'))).map((object) => object.sha256)).toEqual([
    first.sha256,
  ]);
});

test('the staging areas of earlier versions are deleted', async () => {
  await disk.close();
  for (const area of ['incoming', 'inherited']) {
    await mkdir(join(folder, area, 'lab'), { recursive: true });
    await writeFile(join(folder, area, 'lab', 'a'.repeat(64)), 'bytes');
  }
  disk = await openTestDiskStore({ folder });
  expect((await readdir(folder)).filter((name) => /^in/.test(name))).toHaveLength(1);
  await stagingArea();
});

test('an upload can be sent again after a restart, and both copies become one object', async () => {
  const bytes = randomBytes(300);
  await send(bytes);
  await restart();
  const object = await send(bytes);
  await restart();
  expect(await disk.store.promote('lab', [object])).toEqual([]);
  expect(await readdir(join(await stagingArea(), 'lab'))).toEqual([]);
});

test('an upload from before a restart replaces a damaged object', async () => {
  const bytes = randomBytes(5_000);
  const object = await send(bytes);
  await disk.store.promote('lab', [object]);
  const file = await disk.store.localFile({ storeId: 'lab', ...object });
  await loseBytes(file, 100, 50);
  await send(bytes);
  await restart();
  expect(await disk.store.promote('lab', [object])).toEqual([]);
  expect((await readFile(file)).equals(bytes)).toBe(true);
});

test('a part that lost bytes is requested again, and the others are kept', async () => {
  const bytes = randomBytes(3 * PART);
  const upload: MultipartUpload = {
    ...{ storeId: 'lab', path: 'scan', size: bytes.length, sha256: null },
    ...{ uploadId: 'upload-1', partSize: PART },
  };
  const sendPart = (partNumber: number) =>
    fetch(disk.store.presignPart(upload, partNumber, 900).url, {
      method: 'PUT',
      body: new Uint8Array(bytes.subarray((partNumber - 1) * PART, partNumber * PART)),
    });
  await disk.store.beginMultipart(upload);
  for (const partNumber of [1, 2, 3]) await sendPart(partNumber);
  await loseBytes(join(folder, 'parts', 'lab', 'upload-1', 'content'), PART + 5, 100);
  await restart();
  await expect(disk.store.completeMultipart(upload)).rejects.toMatchObject({
    code: 'parts_missing',
    details: { parts: [2] },
  });
  await sendPart(2);
  expect(await disk.store.completeMultipart(upload)).toEqual({ sha256: sha256(bytes), size: bytes.length });
});

test('files and folders are accessible only to the user of the service', async () => {
  const object = await send(randomBytes(10));
  await disk.store.promote('lab', [object]);
  const shard = join(folder, 'objects', 'lab', object.sha256.slice(0, 2));
  const modes = await Promise.all(
    [folder, await stagingArea(), join(folder, 'temporary'), shard, join(shard, object.sha256)].map(
      async (path) => (await stat(path)).mode & 0o077,
    ),
  );
  expect(modes).toEqual([0, 0, 0, 0, 0]);
});
