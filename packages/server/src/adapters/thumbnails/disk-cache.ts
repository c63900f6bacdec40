import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import { isMissing, unlessMissing } from '../../objects/missing.ts';
import { isStorageFull } from '../../process/lack-of-resources.ts';
import type { SmallThumbnail, ThumbnailCache } from '../../thumbnails/small-thumbnails.ts';
import { EvictingFolder } from '../evicting-folder.ts';

export interface DiskThumbnailOptions {
  folder: string;
  /** Maximum size of all files together. */
  maxBytes: number;
  log: Logger;
}

/**
 * Caches small thumbnails as files `<storeId>/<sha256>-<width>.webp`. If the disk is full or cannot be written,
 * thumbnails are just made again.
 */
export class DiskThumbnails implements ThumbnailCache {
  readonly #folder: EvictingFolder;
  readonly #log: Logger;

  constructor({ folder, maxBytes, log }: DiskThumbnailOptions) {
    this.#folder = new EvictingFolder(folder, maxBytes);
    this.#log = log;
  }

  async read(thumbnail: SmallThumbnail): Promise<Uint8Array | null> {
    const path = this.#pathOf(thumbnail);
    const webp = await unlessMissing(readFile(path));
    if (webp) await this.#folder.noteUse(path);
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
      if (!isStorageFull(error)) this.#log.warn({ err: error }, 'a small thumbnail could not be cached');
      return;
    }
    await this.#folder.noteWritten(webp.length);
  }

  async deleteStore(storeId: string): Promise<void> {
    await this.#folder.deleteStore(storeId);
  }

  #pathOf({ storeId, sha256, width }: SmallThumbnail): string {
    return this.#folder.pathOf(storeId, `${sha256}-${width}.webp`);
  }
}
