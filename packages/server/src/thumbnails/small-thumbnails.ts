import { THUMBNAIL_WIDTHS } from '@bindery/contract';
import { turntableOf } from '@bindery/formats/images/turntable';
import { LRUCache } from 'lru-cache';
import { notFound } from '../errors.ts';
import { unlessLost } from '../objects/damaged.ts';
import type { ObjectAddress, ObjectStore } from '../objects/store.ts';

/** Larger files are not read. */
const MAX_SOURCE_BYTES = 32 * 2 ** 20;

/** Thumbnails that are drawn with a turntable are smaller. */
const MAX_TURNING_BYTES = 2 ** 20;

/** Of how many thumbnails it is remembered whether they have one. */
const TURNING = { max: 10_000 };

/** How long failures to scale a picture are remembered, in milliseconds, and how many of them. */
const FAILURE = { ttl: 3_600_000, max: 10_000 };

/** The pictures of assets in the sizes of lists, each created when it is first requested. */
export class SmallThumbnails {
  readonly #objects: ObjectStore;
  readonly #resizer: ThumbnailResizer;
  readonly #cache: ThumbnailCache;
  readonly #running = new Map<string, Promise<Uint8Array>>();
  readonly #failed = new LRUCache<string, true>(FAILURE);
  readonly #turning = new LRUCache<string, boolean>(TURNING);

  constructor(objects: ObjectStore, resizer: ThumbnailResizer, cache: ThumbnailCache) {
    this.#objects = objects;
    this.#resizer = resizer;
    this.#cache = cache;
  }

  /**
   * Returns WebP. Throws `not_found` if there is no such picture, or it cannot be scaled down; `unavailable` when busy.
   */
  async read(thumbnail: SmallThumbnail): Promise<Uint8Array> {
    if (!(THUMBNAIL_WIDTHS as readonly number[]).includes(thumbnail.width)) throw notFound();
    // A deleted picture has no thumbnails, even if they are still cached.
    const size = await this.#objects.size(thumbnail);
    if (size === null || size > MAX_SOURCE_BYTES) throw notFound();
    return (await this.#cache.read(thumbnail)) ?? this.#makeOnce(thumbnail);
  }

  /** Whether there is a turntable within a thumbnail. What is read for it is remembered. */
  async hasTurntable(thumbnail: ObjectAddress): Promise<boolean> {
    const key = `${thumbnail.storeId} ${thumbnail.sha256}`;
    const known = this.#turning.get(key) ?? (await this.#findTurntable(thumbnail)) !== null;
    this.#turning.set(key, known);
    return known;
  }

  /** Returns the turntable within a thumbnail, an animated WebP. Throws `not_found` if it has none. */
  async readTurntable(thumbnail: ObjectAddress): Promise<Uint8Array> {
    const turntable = await this.#findTurntable(thumbnail);
    if (turntable === null) throw notFound();
    return turntable;
  }

  async deleteStore(storeId: string): Promise<void> {
    await this.#cache.deleteStore(storeId);
  }

  async close(): Promise<void> {
    await this.#resizer.close();
  }

  async #findTurntable(thumbnail: ObjectAddress): Promise<Uint8Array | null> {
    const size = await this.#objects.size(thumbnail);
    if (size === null || size > MAX_TURNING_BYTES) return null;
    const bytes = await unlessLost(this.#objects.read(thumbnail));
    return bytes && turntableOf(bytes);
  }

  #makeOnce(thumbnail: SmallThumbnail): Promise<Uint8Array> {
    const { storeId, sha256, width } = thumbnail;
    const key = `${storeId} ${sha256} ${width}`;
    const running = this.#running.get(key);
    if (running) return running;
    const made = this.#make(thumbnail).finally(() => this.#running.delete(key));
    this.#running.set(key, made);
    return made;
  }

  async #make(thumbnail: SmallThumbnail): Promise<Uint8Array> {
    const picture = `${thumbnail.storeId} ${thumbnail.sha256}`;
    if (this.#failed.has(picture)) throw notFound();
    try {
      const webp = await this.#resizer.resize(thumbnail);
      await this.#cache.write(thumbnail, webp);
      return webp;
    } catch (error) {
      if (!(error instanceof UnreadablePicture)) throw error;
      this.#failed.set(picture, true);
      throw notFound();
    }
  }
}

/** A thumbnail of at most `width` pixels on its longer side. */
export interface SmallThumbnail extends ObjectAddress {
  width: number;
}

/** The picture cannot be scaled down: it is not a picture, it is damaged, or it takes too many resources. */
export class UnreadablePicture extends Error {}

/** Scales pictures down outside this process, because their contents are not trusted. */
export interface ThumbnailResizer {
  /** Returns WebP. Throws `UnreadablePicture`, and `ServiceError` (`unavailable`) while too many are waiting. */
  resize(thumbnail: SmallThumbnail): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Caches scaled pictures on this machine, within bounds. Evicted ones are created again. */
export interface ThumbnailCache {
  read(thumbnail: SmallThumbnail): Promise<Uint8Array | null>;
  write(thumbnail: SmallThumbnail, webp: Uint8Array): Promise<void>;
  /** Deletes the scaled pictures of a store. */
  deleteStore(storeId: string): Promise<void>;
}
