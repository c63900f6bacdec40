import fs from 'node:fs';
import { dirname } from 'node:path';
import { forEachBounded } from '@bindery/concurrency';
import { unlessMissing } from '../../../objects/missing.ts';
import type { Reclaimed, StoredObject } from '../../../objects/store.ts';
import type { DiskWorkers } from './disk-workers.ts';
import { digestFile, moveInto, open, rename, stat, syncFolder, syncOrRemove, unlink } from './files.ts';
import { AREAS, type Layout } from './layout.ts';
import type { FilesToStage, StagedFiles } from './worker/stage-files.ts';

/** How many files are read, synced or moved at the same time. */
const CONCURRENCY = 16;

/**
 * From this many files on, syncing the whole file system first makes syncing each file cheap, and using a worker pays
 * off.
 */
const MANY = 64;

/** Files in one task of a worker, and tasks of one promotion that run at the same time. */
const TASK_FILES = 500;
const TASKS_AT_ONCE = 2;

/** Files larger than this (bytes) are not synced by the worker, which a single one might block for long. */
const SMALL = 4 * 1024 * 1024;

/**
 * Uploads that are complete and verified but not objects yet. `incoming` holds what this process received; `inherited`
 * what an earlier one received, of which a power cut might have destroyed unsynced bytes.
 */
export class Staging {
  readonly #layout: Layout;
  readonly #workers: DiskWorkers;
  readonly #clock: () => number;

  constructor(layout: Layout, workers: DiskWorkers, clock: () => number) {
    this.#layout = layout;
    this.#workers = workers;
    this.#clock = clock;
  }

  /** Moves what an earlier process left in `incoming` to `inherited`. Can be repeated after a crash. */
  async inherit(): Promise<void> {
    for (const storeId of await fs.promises.readdir(this.#layout.incoming)) {
      const from = this.#layout.storeOf('incoming', storeId);
      const to = this.#layout.storeOf('inherited', storeId);
      try {
        await rename(from, to);
      } catch (error) {
        if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
        await forEachBounded(await fs.promises.readdir(from), { concurrency: CONCURRENCY }, (name) =>
          rename(`${from}/${name}`, `${to}/${name}`),
        );
        await fs.promises.rmdir(from);
      }
    }
  }

  /** Stages a complete, verified file. */
  async stage(storeId: string, sha256: string, file: string): Promise<void> {
    const target = this.#layout.staged('incoming', { storeId, sha256 });
    await moveInto(this.#layout.storeOf('incoming', storeId), file, target);
  }

  /** Deletes an upload of a store that no longer belongs to a library. */
  async discard(storeId: string, sha256: string): Promise<void> {
    await unlessMissing(unlink(this.#layout.staged('incoming', { storeId, sha256 })));
    await fs.promises.rmdir(this.#layout.storeOf('incoming', storeId)).catch(() => {});
  }

  /** Bytes of all staged uploads of a store. */
  async bytes(storeId: string): Promise<number> {
    let bytes = 0;
    for (const area of AREAS) {
      const folder = this.#layout.storeOf(area, storeId);
      const names = (await unlessMissing(fs.promises.readdir(folder))) ?? [];
      await forEachBounded(names, { concurrency: CONCURRENCY }, async (name) => {
        const stats = await unlessMissing(stat(`${folder}/${name}`));
        bytes += stats?.size ?? 0;
      });
    }
    return bytes;
  }

  /** Verifies and stages files in a worker. Transfers their bytes. */
  stageSmall(files: FilesToStage): Promise<StagedFiles> {
    return this.#workers.stage(files);
  }

  /** Returns the hashes of uploads that are staged with exactly these sizes, and resets their age. */
  async renew(storeId: string, uploads: readonly StoredObject[]): Promise<Set<string>> {
    const found = new Set<string>();
    if (!(await this.#holdsAnyOf(storeId))) return found;
    for (const task of inTasks(uploads)) {
      const renewed = await this.#workers.renew({ storeId, uploads: task, now: this.#clock() });
      for (const sha256 of renewed) found.add(sha256);
    }
    return found;
  }

  /** Returns where an upload is staged, or null if it is not. */
  async find(storeId: string, sha256: string): Promise<{ path: string; size: number } | null> {
    for (const area of AREAS) {
      const path = this.#layout.staged(area, { storeId, sha256 });
      const stats = await unlessMissing(stat(path));
      if (stats) return { path, size: stats.size };
    }
    return null;
  }

  async #holdsAnyOf(storeId: string): Promise<boolean> {
    const folders = await Promise.all(
      AREAS.map((area) => unlessMissing(stat(this.#layout.storeOf(area, storeId)))),
    );
    return folders.some((folder) => folder !== null);
  }

  /** Makes uploads objects; resolves to the hashes of those that are neither staged nor objects. */
  async promote(storeId: string, uploads: Iterable<StoredObject>): Promise<string[]> {
    const missing: string[] = [];
    const folders = new Set<string>();
    let flushed: Promise<void> | undefined;
    await forEachBounded(inTasks(uploads), { concurrency: TASKS_AT_ONCE }, async (task) => {
      for (const { sha256 } of task) folders.add(this.#layout.shard({ storeId, sha256 }));
      let rest = task;
      if (task.length >= MANY) {
        flushed ??= this.#workers.flush();
        await flushed;
        rest = await this.#promoteSmall(storeId, task);
      }
      await forEachBounded(rest, { concurrency: CONCURRENCY }, async (upload) => {
        if (!(await this.#makeObject(storeId, upload))) missing.push(upload.sha256);
      });
    });
    await this.sync(folders, storeId);
    return missing;
  }

  /** Promotes small files. Returns what is left: large files, and files that are not or no longer staged. */
  async #promoteSmall(storeId: string, uploads: readonly StoredObject[]): Promise<StoredObject[]> {
    const { small = [], large = [] } = Object.groupBy(uploads, ({ size }) =>
      size <= SMALL ? 'small' : 'large',
    );
    const left = await this.#workers.promote({ storeId, uploads: small });
    return [...left, ...large];
  }

  /** Makes the directory entries in these folders of a store durable, and the folders themselves. */
  async sync(folders: Iterable<string>, storeId: string): Promise<void> {
    await forEachBounded(folders, { concurrency: CONCURRENCY }, syncFolder);
    await syncFolder(this.#layout.storeOf('objects', storeId));
    await syncFolder(this.#layout.objects);
  }

  async #makeObject(storeId: string, upload: StoredObject): Promise<boolean> {
    const address = { storeId, sha256: upload.sha256 };
    const object = this.#layout.object(address);
    const incoming = this.#layout.staged('incoming', address);
    if (await this.#syncAndMove(incoming, upload.size, object)) return true;
    const inherited = this.#layout.staged('inherited', address);
    const found = await unlessMissing(digestFile(inherited));
    if (found?.sha256 === upload.sha256 && (await this.#syncAndMove(inherited, upload.size, object)))
      return true;
    if (found && found.sha256 !== upload.sha256) await unlessMissing(unlink(inherited));
    const stored = await unlessMissing(stat(object));
    return stored?.size === upload.size;
  }

  /** Returns false if no upload of this size is staged. Replaces an existing object, which has the same bytes. */
  async #syncAndMove(from: string, size: number, object: string): Promise<boolean> {
    const fd = await unlessMissing(open(from, 'r', 0));
    if (fd === null) return false;
    try {
      if (fs.fstatSync(fd).size !== size) return false;
      await syncOrRemove(fd, from);
    } finally {
      fs.closeSync(fd);
    }
    if (await unlessMissing(moveInto(dirname(object), from, object).then(() => true))) return true;
    // Another promotion of the same upload was faster.
    return (await unlessMissing(stat(object))) !== null;
  }

  /** Deletes uploads staged before `before`. */
  async deleteAbandoned(before: number): Promise<Reclaimed> {
    const freed: Reclaimed = { objects: 0, bytes: 0 };
    for (const area of AREAS) {
      for (const storeId of await fs.promises.readdir(this.#layout[area])) {
        const folder = this.#layout.storeOf(area, storeId);
        const names = (await unlessMissing(fs.promises.readdir(folder))) ?? [];
        await forEachBounded(names, { concurrency: CONCURRENCY }, async (name) => {
          const bytes = await this.#deleteIfOlder(`${folder}/${name}`, before);
          if (bytes === null) return;
          freed.objects += 1;
          freed.bytes += bytes;
        });
        await fs.promises.rmdir(folder).catch(() => {});
      }
    }
    return freed;
  }

  /**
   * Moves the file aside, then checks its age again: a file that was renewed in between is moved back, and later
   * callers do not find the file. Returns the bytes freed, or null if the file is kept or does not exist.
   */
  async #deleteIfOlder(path: string, before: number): Promise<number | null> {
    const stats = await unlessMissing(stat(path));
    if (!stats || stats.mtimeMs >= before) return null;
    const aside = `${this.#layout.temporary}/abandoned-${path.slice(path.lastIndexOf('/') + 1)}`;
    if ((await unlessMissing(rename(path, aside).then(() => true))) === null) return null;
    if ((await stat(aside)).mtimeMs >= before) {
      await moveInto(dirname(path), aside, path);
      return null;
    }
    await unlink(aside);
    return stats.size;
  }
}

/** Splits work into tasks that take a worker a fraction of a second each. */
function* inTasks(uploads: Iterable<StoredObject>): Generator<StoredObject[]> {
  let task: StoredObject[] = [];
  for (const upload of uploads) {
    task.push(upload);
    if (task.length < TASK_FILES) continue;
    yield task;
    task = [];
  }
  if (task.length > 0) yield task;
}
