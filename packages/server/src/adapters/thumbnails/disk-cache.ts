import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { isMissing, unlessMissing } from '../../objects/missing.ts';
import { isStorageFull } from '../../process/lack-of-resources.ts';
import type { SmallThumbnail, ThumbnailCache } from '../../thumbnails/small-thumbnails.ts';

const DAY = 86_400_000;

export interface DiskThumbnailOptions {
  folder: string;
  /** Maximum size of all files together; temporarily exceeded by up to an eighth. */
  maxBytes: number;
  log: Logger;
}

/**
 * Caches small thumbnails as files `<storeId>/<sha256>-<width>.webp` and evicts the least recently used. The folder can
 * be emptied at any time; if the disk is full or cannot be written, thumbnails are just made again.
 */
export class DiskThumbnails implements ThumbnailCache {
  readonly #options: DiskThumbnailOptions;
  /** Bytes written since all files were last checked. The first write triggers a check, for what was there before. */
  #written = Number.POSITIVE_INFINITY;
  #trimming: Promise<void> | undefined;

  constructor(options: DiskThumbnailOptions) {
    this.#options = options;
  }

  async read(thumbnail: SmallThumbnail): Promise<Uint8Array | null> {
    const path = this.#pathOf(thumbnail);
    const webp = await unlessMissing(readFile(path));
    if (webp) await unlessMissing(this.#noteUse(path));
    return webp;
  }

  async write(thumbnail: SmallThumbnail, webp: Uint8Array): Promise<void> {
    const path = this.#pathOf(thumbnail);
    const draft = `${path}.${randomUUID()}`;
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(draft, webp, { mode: 0o600, flush: true });
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true }).catch(() => {});
      // The store of its library was purged meanwhile.
      if (isMissing(error)) return;
      if (!isStorageFull(error))
        this.#options.log.warn({ err: error }, 'a small thumbnail could not be cached');
      return;
    }
    this.#written += webp.length;
    if (this.#written > this.#options.maxBytes / 8) await this.#trim();
  }

  async deleteStore(storeId: string): Promise<void> {
    await rm(join(this.#options.folder, storeId), { recursive: true, force: true });
  }

  #pathOf({ storeId, sha256, width }: SmallThumbnail): string {
    return join(this.#options.folder, storeId, `${sha256}-${width}.webp`);
  }

  /**
   * Records that a file was used. A resolution of one day is enough to find unused files and costs at most one write a
   * day.
   */
  async #noteUse(path: string): Promise<void> {
    const now = Date.now();
    if ((await stat(path)).mtimeMs < now - DAY) await utimes(path, now / 1_000, now / 1_000);
  }

  /** Deletes the least recently used files until the rest fits. */
  async #trim(): Promise<void> {
    this.#written = 0;
    this.#trimming ??= this.#deleteOldest().finally(() => {
      this.#trimming = undefined;
    });
    await this.#trimming;
  }

  async #deleteOldest(): Promise<void> {
    const { folder, maxBytes } = this.#options;
    const files: { path: string; size: number; mtimeMs: number }[] = [];
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const stats = entry.isFile() ? await unlessMissing(stat(path)) : null;
      if (stats) files.push({ path, size: stats.size, mtimeMs: stats.mtimeMs });
    }
    let total = files.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of files.sort((one, other) => one.mtimeMs - other.mtimeMs)) {
      if (total <= maxBytes) return;
      await unlessMissing(unlink(path));
      total -= size;
    }
  }
}
