import fs from 'node:fs';
import { dirname } from 'node:path';
import { chunks, forEachBounded } from '@bindery/concurrency';
import { unlessMissing } from '../../../objects/missing.ts';
import type { Reclaimed, StoredObject } from '../../../objects/store.ts';
import { moveInto, rename, stat, unlink } from '../files.ts';
import type { DiskWorkers } from './disk-workers.ts';
import type { Layout } from './layout.ts';
import type { FilesToStage, StagedFiles } from './worker/disk-worker.ts';

/** How many files are looked at, moved or deleted at the same time. */
const CONCURRENCY = 16;

/** Files in one task of a worker, which takes a fraction of a second. */
const TASK_FILES = 500;

/** Uploads that are complete and verified but not objects yet. */
export class Staging {
  readonly #layout: Layout;
  readonly #workers: DiskWorkers;
  readonly #clock: () => number;

  constructor(layout: Layout, workers: DiskWorkers, clock: () => number) {
    this.#layout = layout;
    this.#workers = workers;
    this.#clock = clock;
  }

  /** Stages a complete, verified file. */
  async stage(storeId: string, sha256: string, file: string): Promise<void> {
    const target = this.#layout.staged({ storeId, sha256 });
    await moveInto(this.#layout.storeOf('incoming', storeId), file, target);
  }

  /** Deletes an upload of a store that no longer belongs to a library. */
  async discard(storeId: string, sha256: string): Promise<void> {
    await unlessMissing(unlink(this.#layout.staged({ storeId, sha256 })));
    await fs.promises.rmdir(this.#layout.storeOf('incoming', storeId)).catch(() => {});
  }

  /** Bytes of all staged uploads of a store. */
  async bytes(storeId: string): Promise<number> {
    let bytes = 0;
    const folder = this.#layout.storeOf('incoming', storeId);
    const names = (await unlessMissing(fs.promises.readdir(folder))) ?? [];
    await forEachBounded(names, { concurrency: CONCURRENCY }, async (name) => {
      const stats = await unlessMissing(stat(`${folder}/${name}`));
      bytes += stats?.size ?? 0;
    });
    return bytes;
  }

  /** Verifies and stages files in a worker. Transfers their bytes. */
  stageSmall(files: FilesToStage): Promise<StagedFiles> {
    return this.#workers.stage(files);
  }

  /** Returns the hashes of uploads that are staged with exactly these sizes, and resets their age. */
  async renew(storeId: string, uploads: readonly StoredObject[]): Promise<Set<string>> {
    const found = new Set<string>();
    if (!(await unlessMissing(stat(this.#layout.storeOf('incoming', storeId))))) return found;
    for (const task of chunks(uploads, TASK_FILES)) {
      const renewed = await this.#workers.renew({ storeId, uploads: task, now: this.#clock() });
      for (const sha256 of renewed) found.add(sha256);
    }
    return found;
  }

  /** Returns where an upload is staged, or null if it is not. */
  async find(storeId: string, sha256: string): Promise<{ path: string; size: number } | null> {
    const path = this.#layout.staged({ storeId, sha256 });
    const stats = await unlessMissing(stat(path));
    return stats && { path, size: stats.size };
  }

  /** Deletes uploads staged before `before`. */
  async deleteAbandoned(before: number): Promise<Reclaimed> {
    const freed: Reclaimed = { objects: 0, bytes: 0 };
    for (const storeId of await fs.promises.readdir(this.#layout.incoming)) {
      const folder = this.#layout.storeOf('incoming', storeId);
      const names = (await unlessMissing(fs.promises.readdir(folder))) ?? [];
      await forEachBounded(names, { concurrency: CONCURRENCY }, async (name) => {
        const bytes = await this.#deleteIfOlder(`${folder}/${name}`, before);
        if (bytes === null) return;
        freed.objects += 1;
        freed.bytes += bytes;
      });
      await fs.promises.rmdir(folder).catch(() => {});
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
