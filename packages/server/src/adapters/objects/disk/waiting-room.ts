import fs from 'node:fs';
import { dirname } from 'node:path';
import { forEachBounded } from '../../../objects/bounded.ts';
import { unlessMissing } from '../../../objects/missing.ts';
import type { Reclaimed, StoredObject } from '../../../objects/store.ts';
import {
  digestFile,
  fdatasync,
  flushFileSystem,
  makeFolder,
  moveInto,
  open,
  rename,
  stat,
  syncFolder,
  unlink,
} from './files.ts';
import type { Layout } from './layout.ts';

/** How many files are looked at, synced or moved at the same time. */
const CONCURRENCY = 16;

/** The parts of the waiting room, in the order in which they are looked through. */
const AREAS = ['incoming', 'inherited'] as const;
type Area = (typeof AREAS)[number];

/** From so many files on, writing out all that is dirty first makes syncing each of them cheap. */
const FLUSH_FROM = 64;

/**
 * Uploads that are whole and verified but no objects yet. What this process received is in `incoming`; what an
 * earlier one received is in `inherited`, where a power cut may have eaten bytes that nobody had synced.
 */
export class WaitingRoom {
  readonly #layout: Layout;
  readonly #clock: () => number;

  constructor(layout: Layout, clock: () => number) {
    this.#layout = layout;
    this.#clock = clock;
  }

  /** Moves what an earlier process left in `incoming` to `inherited`. May be repeated after a crash. */
  async inherit(): Promise<void> {
    for (const storeId of await fs.promises.readdir(this.#layout.incoming)) {
      const from = this.#layout.storeOf('incoming', storeId);
      const to = this.#layout.storeOf('inherited', storeId);
      try {
        await rename(from, to);
      } catch (error) {
        if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
        await forEachBounded(await fs.promises.readdir(from), CONCURRENCY, (name) =>
          rename(`${from}/${name}`, `${to}/${name}`),
        );
        await fs.promises.rmdir(from);
      }
    }
  }

  /** Takes a whole, verified file in. */
  async admit(storeId: string, sha256: string, file: string): Promise<void> {
    const target = this.#layout.waiting('incoming', { storeId, sha256 });
    await moveInto(this.#layout.storeOf('incoming', storeId), file, target);
  }

  /** The hashes of those that wait with exactly these sizes; their time starts anew. */
  async renew(storeId: string, uploads: readonly StoredObject[]): Promise<Set<string>> {
    const found = new Set<string>();
    const areas = await this.#areasOf(storeId);
    if (areas.length === 0) return found;
    const now = new Date(this.#clock());
    await forEachBounded(uploads, CONCURRENCY, async ({ sha256, size }) => {
      const waiting = await this.find(storeId, sha256, areas);
      if (waiting?.size !== size) return;
      const renewed = await unlessMissing(fs.promises.utimes(waiting.path, now, now).then(() => true));
      if (renewed) found.add(sha256);
    });
    return found;
  }

  /** Where an upload waits, if it does. */
  async find(
    storeId: string,
    sha256: string,
    areas: readonly Area[] = AREAS,
  ): Promise<{ path: string; size: number } | null> {
    for (const area of areas) {
      const path = this.#layout.waiting(area, { storeId, sha256 });
      const stats = await unlessMissing(stat(path));
      if (stats) return { path, size: stats.size };
    }
    return null;
  }

  /** Where anything of a store waits at all. */
  async #areasOf(storeId: string): Promise<Area[]> {
    const folders = await Promise.all(
      AREAS.map((area) => unlessMissing(stat(this.#layout.storeOf(area, storeId)))),
    );
    return AREAS.filter((_, at) => folders[at]);
  }

  /** Makes uploads objects; resolves to the hashes that are neither waiting nor objects. */
  async promote(storeId: string, uploads: readonly StoredObject[]): Promise<string[]> {
    const missing: string[] = [];
    const folders = new Set<string>();
    if (uploads.length >= FLUSH_FROM) await flushFileSystem(this.#layout.root);
    await forEachBounded(uploads, CONCURRENCY, async (upload) => {
      const object = this.#layout.object({ storeId, sha256: upload.sha256 });
      const folder = dirname(object);
      if (!folders.has(folder)) {
        await makeFolder(folder);
        folders.add(folder);
      }
      if (!(await this.#makeObject(storeId, upload, object))) missing.push(upload.sha256);
    });
    await this.sync(folders, storeId);
    return missing;
  }

  /** Makes the names in these folders of a store durable, and the folders themselves. */
  async sync(folders: Iterable<string>, storeId: string): Promise<void> {
    await forEachBounded(folders, CONCURRENCY, syncFolder);
    await syncFolder(this.#layout.storeOf('objects', storeId));
    await syncFolder(this.#layout.objects);
  }

  async #makeObject(storeId: string, upload: StoredObject, object: string): Promise<boolean> {
    const address = { storeId, sha256: upload.sha256 };
    const incoming = this.#layout.waiting('incoming', address);
    if (await this.#syncAndMove(incoming, upload.size, object)) return true;
    const stored = await unlessMissing(stat(object));
    if (stored) return stored.size === upload.size;
    const inherited = this.#layout.waiting('inherited', address);
    const found = await unlessMissing(digestFile(inherited));
    if (!found) return false;
    if (found.sha256 === upload.sha256) return this.#syncAndMove(inherited, upload.size, object);
    await unlessMissing(unlink(inherited));
    return false;
  }

  /** False where no upload of this size waits there. An object that is there already has the same bytes. */
  async #syncAndMove(from: string, size: number, object: string): Promise<boolean> {
    const fd = await unlessMissing(open(from, 'r', 0));
    if (fd === null) return false;
    try {
      if (fs.fstatSync(fd).size !== size) return false;
      await fdatasync(fd);
    } finally {
      fs.closeSync(fd);
    }
    if (await unlessMissing(rename(from, object).then(() => true))) return true;
    // Another promotion of the same upload was quicker.
    return (await unlessMissing(stat(object))) !== null;
  }

  /** Deletes uploads that have waited since before `before`. */
  async removeAbandoned(before: number): Promise<Reclaimed> {
    const freed: Reclaimed = { objects: 0, bytes: 0 };
    for (const area of AREAS) {
      for (const storeId of await fs.promises.readdir(this.#layout[area])) {
        const folder = this.#layout.storeOf(area, storeId);
        const names = (await unlessMissing(fs.promises.readdir(folder))) ?? [];
        await forEachBounded(names, CONCURRENCY, async (name) => {
          const bytes = await this.#removeIfOlder(`${folder}/${name}`, before);
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
   * Out of sight first, then a second look: whoever renewed the file in between gets it back, and whoever looks
   * later does not find it.
   */
  async #removeIfOlder(path: string, before: number): Promise<number | null> {
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
