import fs from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { forEachBounded } from '@bindery/concurrency';
import type { Logger } from 'pino';
import { unlessLost } from '../../../objects/damaged.ts';
import { unlessMissing } from '../../../objects/missing.ts';
import type { ObjectAddress, StoredObject } from '../../../objects/store.ts';
import type { DiskWorkers } from './disk-workers.ts';
import type { FileSystemFlush } from './file-system-flush.ts';
import { digestFile, moveInto, open, stat, syncFolder, syncOrRemove, unlink } from './files.ts';
import { inGroups } from './groups.ts';
import type { Layout } from './layout.ts';
import type { Staging } from './staging.ts';

/** How many files or folders are synced or moved at the same time. */
const CONCURRENCY = 16;

/** From this many files on, flushing the file system is faster than syncing each file, and using a worker pays off. */
const MANY = 64;

/** Files that are promoted between two flushes; this bounds the memory, not the time. */
const BATCH_FILES = 20_000;

/** Files in one task of a worker, which takes a fraction of a second, and tasks of one promotion at the same time. */
const TASK_FILES = 500;
const TASKS_AT_ONCE = 2;

/**
 * Files larger than this (bytes) are not left to the worker, which syncing a single one might block for long. Uploads in
 * parts are larger: some of their bytes might have been written before a flush proves anything.
 */
const SMALL = 4 * 1024 * 1024;

/** Milliseconds to wait for a flush that only makes syncing each file faster. */
const FLUSH_AHEAD = 5_000;

const LOST_BYTES = ['EIO', 'ENOSPC', 'EDQUOT'];
const LOST_WRITES = [...LOST_BYTES, 'EROFS'];

export interface PromoterParts {
  layout: Layout;
  workers: DiskWorkers;
  staging: Staging;
  /** Null if it cannot be flushed as a whole. */
  fileSystem: FileSystemFlush | null;
  log: Logger;
}

/** Makes uploads objects: durable first under their staged name, then under their final one. */
export class Promoter {
  readonly #parts: PromoterParts;
  readonly #layout: Layout;

  constructor(parts: PromoterParts) {
    this.#parts = parts;
    this.#layout = parts.layout;
  }

  /** Makes uploads objects; resolves to the hashes of those that are neither staged nor objects. */
  promote(storeId: string, uploads: Iterable<StoredObject>): Promise<string[]> {
    return this.distrustIfLost(() => this.#promote(storeId, uploads));
  }

  /**
   * If `write` fails because writes were lost, no flush is trusted from then on, and what has been staged is read again
   * before it is used: the system tells of lost writes only once.
   */
  async distrustIfLost<Result>(write: () => Promise<Result>): Promise<Result> {
    const { fileSystem, staging, log } = this.#parts;
    const worked = fileSystem?.works;
    try {
      return await write();
    } catch (error) {
      const isLost = LOST_WRITES.includes((error as NodeJS.ErrnoException).code ?? '');
      if (!isLost && fileSystem?.works === worked) throw error;
      fileSystem?.stop();
      if (worked)
        log.warn({ err: error }, 'the disk did not confirm writes: each file is now synced by itself');
      // A disk on which nothing can be moved promotes nothing either.
      await staging.inherit().catch(() => {});
      throw error;
    }
  }

  async #promote(storeId: string, uploads: Iterable<StoredObject>): Promise<string[]> {
    const missing: string[] = [];
    const folders = new Set<string>();
    let flushed = false;
    for (const batch of inGroups(uploads, BATCH_FILES)) {
      for (const { sha256 } of batch) folders.add(this.#layout.shard({ storeId, sha256 }));
      const promoted = await this.#promoteSmall(storeId, batch);
      flushed ||= promoted.flushed;
      await forEachBounded(promoted.left, { concurrency: CONCURRENCY }, async (upload) => {
        if (!(await this.#makeObject(storeId, upload))) missing.push(upload.sha256);
      });
    }
    if (flushed) await this.#parts.fileSystem?.flush();
    await this.sync(flushed ? [] : folders, storeId);
    return missing;
  }

  /** Promotes small files if they are many. Returns what is left: other files, and those not or no longer staged. */
  async #promoteSmall(
    storeId: string,
    files: readonly StoredObject[],
  ): Promise<{ left: readonly StoredObject[]; flushed: boolean }> {
    if (files.length < MANY) return { left: files, flushed: false };
    const { small = [], large = [] } = Object.groupBy(files, ({ size }) =>
      size <= SMALL ? 'small' : 'large',
    );
    const { workers } = this.#parts;
    const tasks = [...inGroups(small, TASK_FILES)].map((uploads) => ({
      uploads,
      inodes: [] as readonly number[],
    }));
    const eachTask = (work: (task: (typeof tasks)[number]) => Promise<void>) =>
      forEachBounded(tasks, { concurrency: TASKS_AT_ONCE }, work);

    await eachTask(async (task) => {
      task.inodes = await workers.identify({ storeId, uploads: task.uploads });
    });
    const staged = tasks.reduce((sum, { inodes }) => sum + inodes.filter((inode) => inode !== 0).length, 0);
    if (staged < MANY) return { left: files, flushed: false };
    const flushed = await this.#flush();
    const left: StoredObject[] = large;
    await eachTask(async ({ uploads, inodes }) => {
      left.push(...(await workers.promote({ storeId, uploads, flushed: flushed ? inodes : null })));
    });
    return { left, flushed };
  }

  /** Flushes the file system. Returns whether all files are durable: otherwise they are only faster to sync. */
  async #flush(): Promise<boolean> {
    const { fileSystem } = this.#parts;
    if (!fileSystem?.works) return false;
    const flush = fileSystem.flush();
    if (fileSystem.isProof) await flush;
    else await Promise.race([flush.catch(() => {}), sleep(FLUSH_AHEAD, undefined, { ref: false })]);
    return fileSystem.isProof;
  }

  /**
   * Makes the directory entries in these folders of a store durable, and the folders themselves. Fails on a file system
   * that has become read-only, which an earlier flush might have missed.
   */
  async sync(folders: Iterable<string>, storeId: string): Promise<void> {
    await forEachBounded(folders, { concurrency: CONCURRENCY }, syncFolder);
    await syncFolder(this.#layout.storeOf('objects', storeId));
    await syncFolder(this.#layout.objects);
  }

  async #makeObject(storeId: string, upload: StoredObject): Promise<boolean> {
    const address = { storeId, sha256: upload.sha256 };
    const object = this.#layout.object(address);
    const incoming = this.#layout.staged('incoming', address);
    if (await this.#syncAndMove(incoming, { ...address, size: upload.size })) return true;
    const inherited = this.#layout.staged('inherited', address);
    // One that cannot be read is deleted too: as long as it is staged, nobody is asked to send it again.
    const found = await unlessLost(digestFile(inherited));
    const isWhole = found?.sha256 === upload.sha256;
    if (isWhole && (await this.#promoteInherited(inherited, { ...address, size: upload.size }))) return true;
    if (!isWhole) await unlessMissing(unlink(inherited));
    const stored = await unlessMissing(stat(object));
    return stored?.size === upload.size;
  }

  /** Also returns false if the bytes are lost: after a failure many are, and the client is told of all at once. */
  async #promoteInherited(from: string, upload: ObjectAddress & StoredObject): Promise<boolean> {
    try {
      return await this.#syncAndMove(from, upload);
    } catch (error) {
      if (!LOST_BYTES.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      this.#parts.fileSystem?.stop();
      return false;
    }
  }

  /** Returns false if no upload of this size is staged. Replaces an existing object, which has the same bytes. */
  async #syncAndMove(from: string, upload: ObjectAddress & StoredObject): Promise<boolean> {
    const object = this.#layout.object(upload);
    const fd = await unlessMissing(open(from, 'r', 0));
    if (fd === null) return false;
    try {
      if (fs.fstatSync(fd).size !== upload.size) return false;
      await syncOrRemove(fd, this.#layout, upload);
    } finally {
      fs.closeSync(fd);
    }
    if (await unlessMissing(moveInto(dirname(object), from, object).then(() => true))) return true;
    // Another promotion of the same upload was faster.
    return (await unlessMissing(stat(object))) !== null;
  }
}
