import fs from 'node:fs';
import { dirname } from 'node:path';
import { chunks, forEachBounded } from '@bindery/concurrency';
import { unlessLost } from '../../../objects/damaged.ts';
import { unlessMissing } from '../../../objects/missing.ts';
import type { Draft, ObjectAddress, StoredObject } from '../../../objects/store.ts';
import {
  close,
  digestFile,
  fdatasync,
  makeFolder,
  moveInto,
  open,
  PRIVATE_FILE,
  rename,
  stat,
  syncFolder,
  unlink,
  writeAll,
} from '../files.ts';
import type { DiskWorkers } from './disk-workers.ts';
import { type Layout, syncOrRemove, temporaryPath, withTemporaryFile } from './layout.ts';

/** How many files or folders are synced or moved at the same time: the device flushes once for all that are waiting. */
const CONCURRENCY = 16;

/** From this many small files on, using a worker pays off. */
const MANY = 64;

/** Files in one task of a worker, which takes a fraction of a second, and tasks of one promotion at the same time. */
const TASK_FILES = 500;
const TASKS_AT_ONCE = 2;

/** Files larger than this (bytes) are not left to a worker, which syncing a single one might block for long. */
const SMALL = 4 * 1024 * 1024;

/** Makes uploads objects: durable first under their staged name, then under their final one. */
export class Promoter {
  readonly #layout: Layout;
  readonly #workers: DiskWorkers;

  constructor(layout: Layout, workers: DiskWorkers) {
    this.#layout = layout;
    this.#workers = workers;
  }

  /** Makes uploads objects; resolves to the hashes of those that are neither staged nor objects. */
  async promote(storeId: string, uploads: Iterable<StoredObject>): Promise<string[]> {
    const missing: string[] = [];
    const folders = new Set<string>();
    for (const task of chunks(uploads, TASKS_AT_ONCE * TASK_FILES)) {
      for (const { sha256 } of task) folders.add(this.#layout.shard({ storeId, sha256 }));
      const left = await this.#promoteSmall(storeId, task);
      await forEachBounded(left, { concurrency: CONCURRENCY }, async (upload) => {
        if (!(await this.#makeObject(storeId, upload))) missing.push(upload.sha256);
      });
    }
    await this.sync(folders, storeId);
    return missing;
  }

  /** Promotes small files if they are many. Returns what is left: other files, and those not or no longer staged. */
  async #promoteSmall(storeId: string, files: readonly StoredObject[]): Promise<readonly StoredObject[]> {
    const { small = [], large: left = [] } = Object.groupBy(files, ({ size }) =>
      size <= SMALL ? 'small' : 'large',
    );
    if (small.length < MANY) return files;
    await forEachBounded(chunks(small, TASK_FILES), { concurrency: TASKS_AT_ONCE }, async (task) => {
      left.push(...(await this.#workers.promote({ storeId, uploads: task })));
    });
    return left;
  }

  /** Makes the directory entries in these folders of a store durable, and the folders themselves. */
  async sync(folders: Iterable<string>, storeId: string): Promise<void> {
    await forEachBounded(folders, { concurrency: CONCURRENCY }, syncFolder);
    await syncFolder(this.#layout.storeOf('objects', storeId));
    await syncFolder(this.#layout.objects);
  }

  async #makeObject(storeId: string, upload: StoredObject): Promise<boolean> {
    const address = { storeId, sha256: upload.sha256 };
    if (await this.#syncAndMove(this.#layout.staged(address), { ...address, size: upload.size })) return true;
    const stored = await unlessMissing(stat(this.#layout.object(address)));
    return stored?.size === upload.size;
  }

  /** Returns false if no upload of this size is staged. Replaces an existing object, which has the same bytes. */
  async #syncAndMove(from: string, upload: ObjectAddress & StoredObject): Promise<boolean> {
    const object = this.#layout.object(upload);
    const fd = await unlessLost(open(from, 'r', 0));
    // As long as one that cannot be read is staged, nobody is asked to send it again.
    if (fd === null) await unlessMissing(unlink(from));
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

/** Objects that the service itself writes; nobody uploads them. */
export class OwnObjects {
  readonly #layout: Layout;
  readonly #promoter: Promoter;

  constructor(layout: Layout, promoter: Promoter) {
    this.#layout = layout;
    this.#promoter = promoter;
  }

  write(storeId: string, bytes: Uint8Array): Promise<StoredObject> {
    return withTemporaryFile(this.#layout, async (fd, path) => {
      await writeAll(fd, bytes);
      const stored = await digestFile(path);
      await this.#makeObject({ storeId, sha256: stored.sha256 }, fd, path);
      return stored;
    });
  }

  async createDraft(storeId: string): Promise<Draft> {
    const file = temporaryPath(this.#layout);
    await close(await open(file, 'wx', PRIVATE_FILE));
    return {
      file,
      commit: async (sha256) => {
        const fd = await open(file, 'r', 0);
        try {
          await this.#makeObject({ storeId, sha256 }, fd, file);
        } finally {
          await close(fd);
        }
      },
      [Symbol.asyncDispose]: async () => {
        await unlessMissing(unlink(file));
      },
    };
  }

  async #makeObject(object: ObjectAddress, fd: number, path: string): Promise<void> {
    const shard = this.#layout.shard(object);
    await fdatasync(fd);
    await makeFolder(shard);
    await rename(path, this.#layout.object(object));
    await this.#promoter.sync([shard], object.storeId);
  }
}
