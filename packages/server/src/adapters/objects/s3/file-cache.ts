import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { unlessMissing } from '../../../objects/missing.ts';
import type { ObjectAddress } from '../../../objects/store.ts';
import { digestFile, HashedContent, PRIVATE_FILE, PRIVATE_FOLDER } from '../files.ts';

/** Milliseconds for which a file is kept after its path was returned, so that a worker has time to open it. */
const STAYS_MS = 15 * 60_000;

interface Cached {
  size: number;
  /** On a monotonic clock. */
  usedAt: number;
  /** False for what an earlier process left: a power cut might have destroyed some of its bytes. */
  isVerified: boolean;
}

/**
 * Copies of objects on the local disk, for workers that read files. A copy is complete and verified before it gets its
 * name. The least recently used copies are evicted when all together are too large.
 */
export class FileCache {
  readonly #folder: string;
  readonly #maxBytes: number;
  /** Least recently used first. */
  readonly #files = new Map<string, Cached>();
  readonly #underWay = new Map<string, Promise<boolean>>();
  #bytes = 0;

  private constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  /** Opens the cache in a folder, including what an earlier process left there. */
  static async open(folder: string, maxBytes: number): Promise<FileCache> {
    const cache = new FileCache(folder, maxBytes);
    await rm(join(folder, 'temporary'), { recursive: true, force: true });
    await mkdir(join(folder, 'temporary'), { recursive: true, mode: PRIVATE_FOLDER });
    await mkdir(join(folder, 'objects'), { recursive: true, mode: PRIVATE_FOLDER });
    await cache.#inherit();
    await cache.#shrink();
    return cache;
  }

  /** Returns the path of an object's copy, whether or not it exists. */
  pathOf({ storeId, sha256 }: ObjectAddress): string {
    return join(this.#folder, 'objects', storeId, sha256);
  }

  /** Returns a new path for a file that can become a copy. */
  temporary(): string {
    return join(this.#folder, 'temporary', randomBytes(12).toString('hex'));
  }

  /**
   * Returns the path of a verified copy, fetched with `read` if there is none. If the bytes read do not match the hash,
   * the path is returned but no copy is stored there.
   */
  async get(object: ObjectAddress, read: () => AsyncIterable<Buffer>): Promise<string> {
    const path = this.pathOf(object);
    const known = this.#files.get(path);
    if (known && (await isUsable(path, known, object.sha256))) {
      this.#note(path, known.size);
      return path;
    }
    const fetching = this.#underWay.get(path) ?? this.#fetch(object, path, read);
    await fetching;
    return path;
  }

  #fetch(object: ObjectAddress, path: string, read: () => AsyncIterable<Buffer>): Promise<boolean> {
    const fetching = this.#download(object, read).finally(() => this.#underWay.delete(path));
    this.#underWay.set(path, fetching);
    return fetching;
  }

  async #download(object: ObjectAddress, read: () => AsyncIterable<Buffer>): Promise<boolean> {
    const temporary = this.temporary();
    const hashed = new HashedContent(read());
    try {
      await pipeline(hashed.chunks, createWriteStream(temporary, { flags: 'wx', mode: PRIVATE_FILE }));
      const { sha256, size } = hashed.finish();
      if (sha256 !== object.sha256) return false;
      await this.keep(object, temporary, size);
      return true;
    } finally {
      await rm(temporary, { force: true });
    }
  }

  /** Moves a file whose bytes were verified into the cache as the copy of an object. */
  async keep(object: ObjectAddress, file: string, size: number): Promise<void> {
    const path = this.pathOf(object);
    await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
    await rename(file, path);
    this.#note(path, size);
    await this.#shrink();
  }

  async deleteStore(storeId: string): Promise<void> {
    const folder = dirname(this.pathOf({ storeId, sha256: '' }));
    for (const path of [...this.#files.keys()]) if (dirname(path) === folder) this.#forget(path);
    await rm(folder, { recursive: true, force: true });
  }

  #note(path: string, size: number): void {
    this.#forget(path);
    this.#files.set(path, { size, usedAt: performance.now(), isVerified: true });
    this.#bytes += size;
    // Records the use for the next process; a failure does not matter.
    utimes(path, new Date(), new Date()).catch(() => {});
  }

  #forget(path: string): void {
    this.#bytes -= this.#files.get(path)?.size ?? 0;
    this.#files.delete(path);
  }

  async #shrink(): Promise<void> {
    const before = performance.now() - STAYS_MS;
    for (const [path, { usedAt }] of this.#files) {
      if (this.#bytes <= this.#maxBytes || usedAt > before) return;
      this.#forget(path);
      await rm(path, { force: true });
    }
  }

  async #inherit(): Promise<void> {
    const found: { path: string; size: number; usedAt: number }[] = [];
    for (const storeId of await readdir(join(this.#folder, 'objects'))) {
      for (const name of await readdir(join(this.#folder, 'objects', storeId))) {
        const path = this.pathOf({ storeId, sha256: name });
        const { size, mtimeMs } = await stat(path);
        found.push({ path, size, usedAt: mtimeMs });
      }
    }
    for (const { path, size } of found.sort((a, b) => a.usedAt - b.usedAt)) {
      this.#files.set(path, { size, usedAt: Number.NEGATIVE_INFINITY, isVerified: false });
      this.#bytes += size;
    }
  }
}

async function isUsable(path: string, { isVerified }: Cached, sha256: string): Promise<boolean> {
  const found = isVerified
    ? await unlessMissing(stat(path).then(() => sha256))
    : await unlessMissing(digestFile(path).then((digest) => digest.sha256));
  return found === sha256;
}
