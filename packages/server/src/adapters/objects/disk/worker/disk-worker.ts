import { hash } from 'node:crypto';
import fs from 'node:fs';
import { dirname } from 'node:path';
import { forEachBounded } from '@bindery/concurrency';
import { isMissing } from '../../../../objects/missing.ts';
import type { ObjectAddress, StoredObject } from '../../../../objects/store.ts';
import type { Contents } from '../../../../revision/file-closure.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../../files.ts';
import { Layout, syncOrRemove, temporaryPath } from '../layout.ts';

/*
 * A worker for many small files. It uses the synchronous calls of `node:fs`, which cost a fraction of promises per
 * file, and keeps the work off the event loop of the service.
 */

/** `root` is the folder of the store. */
export type DiskTask = { root: string } & (
  | ({ kind: 'stage' } & FilesToStage)
  | ({ kind: 'find-absent' } & ContentsToFind)
  | ({ kind: 'renew' } & FilesToRenew)
  | ({ kind: 'promote' } & FilesToPromote)
);

/** An error thrown across threads loses its `code`, so failures are returned as values. */
export type DiskAnswer<Value> =
  | { value: Value }
  | { failure: { message: string; stack: string | undefined; code: string | undefined } };

export default async function work(task: DiskTask): Promise<DiskAnswer<unknown>> {
  try {
    return { value: await perform(task) };
  } catch (error) {
    const { message, stack, code } = error as NodeJS.ErrnoException;
    return { failure: { message, stack, code } };
  }
}

function perform(task: DiskTask): unknown {
  const layout = new Layout(task.root);
  switch (task.kind) {
    case 'stage':
      return stageFiles(layout, task);
    case 'find-absent':
      return findAbsent(layout, task);
    case 'renew':
      return renewFiles(layout, task);
    case 'promote':
      return promoteFiles(layout, task);
  }
}

/** Small files stored in `bytes`, each from its `start` on. */
export interface FilesToStage {
  bytes: Uint8Array;
  files: readonly { storeId: string; sha256: string | null; start: number; size: number }[];
}

export interface StagedFiles {
  /** The hashes of the staged files, in order. */
  staged: string[];
  /** Why staging stopped at the file after them: other bytes than announced, or a system error. Null if it did not. */
  failure: { received: string } | { message: string; code: string | undefined } | null;
}

/** Verifies files and moves each, whole, into the staging area. */
export function stageFiles(layout: Layout, { bytes, files }: FilesToStage): StagedFiles {
  const staged: string[] = [];
  for (const { storeId, sha256, start, size } of files) {
    const content = bytes.subarray(start, start + size);
    const received = hash('sha256', content);
    if (sha256 !== null && sha256 !== received) return { staged, failure: { received } };
    try {
      stageFile(layout, storeId, received, content);
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException;
      return { staged, failure: { message, code } };
    }
    staged.push(received);
  }
  return { staged, failure: null };
}

function stageFile(layout: Layout, storeId: string, sha256: string, content: Uint8Array): void {
  const temporary = temporaryPath(layout);
  const fd = fs.openSync(temporary, 'wx', PRIVATE_FILE);
  try {
    for (let at = 0; at < content.length; ) at += fs.writeSync(fd, content, at);
    moveInto(temporary, layout.staged({ storeId, sha256 }));
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  } finally {
    fs.closeSync(fd);
  }
}

export interface FilesToRenew {
  storeId: string;
  uploads: readonly StoredObject[];
  /** The time from which their age counts (milliseconds since 1970). */
  now: number;
}

/** Returns the hashes of uploads that are staged with exactly these sizes, and resets their age. */
export function renewFiles(layout: Layout, { storeId, uploads, now }: FilesToRenew): string[] {
  const time = new Date(now);
  const renewed = uploads.filter(({ sha256, size }) => {
    const path = layout.staged({ storeId, sha256 });
    return fs.statSync(path, { throwIfNoEntry: false })?.size === size && renew(path, time);
  });
  return renewed.map(({ sha256 }) => sha256);
}

/** Returns false if the file has just been moved or deleted. */
function renew(path: string, time: Date): boolean {
  try {
    fs.utimesSync(path, time, time);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** How many files are synced at the same time: the device flushes once for all that are waiting. */
const SYNCED_AT_ONCE = 16;

export interface FilesToPromote {
  storeId: string;
  uploads: readonly StoredObject[];
}

/** Makes staged files objects, once they are durable. Returns those that it did not find. */
export async function promoteFiles(
  layout: Layout,
  { storeId, uploads }: FilesToPromote,
): Promise<StoredObject[]> {
  const left: StoredObject[] = [];
  await forEachBounded(uploads, { concurrency: SYNCED_AT_ONCE }, async (upload) => {
    const address = { storeId, sha256: upload.sha256 };
    const staged = layout.staged(address);
    try {
      if (await sync(layout, staged, { ...address, size: upload.size }))
        moveInto(staged, layout.object(address));
      else left.push(upload);
    } catch (error) {
      if (!isMissing(error)) throw error;
      left.push(upload);
    }
  });
  return left;
}

/** Returns false if the file has another size. */
async function sync(layout: Layout, path: string, upload: ObjectAddress & StoredObject): Promise<boolean> {
  const fd = fs.openSync(path, 'r');
  try {
    if (fs.fstatSync(fd).size !== upload.size) return false;
    await syncOrRemove(fd, layout, upload);
    return true;
  } finally {
    fs.closeSync(fd);
  }
}

const HASH_BYTES = 32;

export interface ContentsToFind extends Contents {
  storeId: string;
}

/** Returns the positions of contents that are not stored as objects of exactly the given size. */
export function findAbsent(layout: Layout, { storeId, hashes, sizes }: ContentsToFind): number[] {
  const bytes = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.byteLength);
  const absent: number[] = [];
  sizes.forEach((size, place) => {
    const sha256 = bytes.toString('hex', place * HASH_BYTES, (place + 1) * HASH_BYTES);
    const stats = fs.statSync(layout.object({ storeId, sha256 }), { throwIfNoEntry: false });
    if (stats?.size !== size) absent.push(place);
  });
  return absent;
}

/** Moves a file, creating the target folder if it does not exist. */
export function moveInto(from: string, to: string): void {
  try {
    fs.renameSync(from, to);
  } catch (error) {
    if (!isMissing(error)) throw error;
    fs.mkdirSync(dirname(to), { recursive: true, mode: PRIVATE_FOLDER });
    fs.renameSync(from, to);
  }
}
