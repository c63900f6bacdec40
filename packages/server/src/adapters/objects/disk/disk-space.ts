import fs from 'node:fs';
import type { Logger } from 'pino';
import type { ServiceError } from '../../../errors.ts';
import { storageFull } from '../../../service/storage-full.ts';

/** Milliseconds for which what the file system said is taken for true, but for what was written here since. */
const FRESH = 200;
/** Milliseconds between two lines of the log about a full disk. */
const TOLD_EVERY = 60_000;
const BLOCK = 4_096;
/** Within this share of the reserve above it, uploads will soon be refused. */
const NEAR = 1 / 4;
/** Below this share of the reserve the database is in danger. */
const DANGER = 1 / 4;
const MIB = 1024 * 1024;

/** Space reserved for an upload. Disposing of it frees what was not written. */
export interface Claim extends Disposable {
  /** Records that this many more bytes were written. Throws `storage_full` if others have filled the disk. */
  wrote(bytes: number): void;
}

/**
 * Keeps uploads away from the last bytes of the disk, which the database needs to stay writable. What uploads under way are
 * yet to write counts as taken.
 */
export class DiskSpace {
  readonly #folder: string;
  readonly #reserve: number;
  readonly #log: Logger;
  #free = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | null = null;
  #writtenSince = 0;
  #claimed = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  /** `reserve` is bytes. */
  constructor(folder: string, reserve: number, log: Logger) {
    this.#folder = folder;
    this.#reserve = reserve;
    this.#log = log;
  }

  /** Throws `storage_full` if this many more bytes do not fit. */
  async require(bytes: number): Promise<void> {
    await this.#look();
    if (bytes > 0 && this.#room() - this.#claimed < bytes) throw this.#full();
  }

  /** As `require`, and reserves them. */
  async claim(bytes: number): Promise<Claim> {
    let left = blocks([{ size: bytes }]);
    await this.require(left);
    this.#claimed += left;
    const settle = (written: number) => {
      this.#claimed -= written;
      left -= written;
    };
    return {
      wrote: (written) => {
        settle(Math.min(written, left));
        this.#writtenSince += written;
        if (this.#room() < 0) throw this.#full();
        this.#look().catch(() => {});
      },
      [Symbol.dispose]: () => settle(left),
    };
  }

  /** Why uploads are refused, or soon will be; null where there is room. Throws `storage_full` where the database is in danger. */
  async refusal(): Promise<string | null> {
    await this.#look();
    const room = this.#room();
    if (room < -this.#reserve * (1 - DANGER)) throw storageFull(this.#describe());
    return room > this.#reserve * NEAR ? null : `Uploads are refused, or soon will be. ${this.#describe()}`;
  }

  /** As the file system tells now. */
  async report(): Promise<{ total: number; free: number; reserve: number }> {
    const { blocks, bavail, bsize } = await fs.promises.statfs(this.#folder);
    return { total: blocks * bsize, free: bavail * bsize, reserve: this.#reserve };
  }

  /** Bytes above the reserve; negative where it is in use. */
  #room(): number {
    return this.#free - this.#writtenSince - this.#reserve;
  }

  #look(): Promise<void> {
    if (performance.now() - this.#lookedAt < FRESH) return Promise.resolve();
    this.#looking ??= this.#ask().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #ask(): Promise<void> {
    const writtenBefore = this.#writtenSince;
    const { bavail, bsize } = await fs.promises.statfs(this.#folder);
    this.#free = bavail * bsize;
    this.#writtenSince -= writtenBefore;
    this.#lookedAt = performance.now();
  }

  #full(): ServiceError {
    const reason = this.#describe();
    if (performance.now() - this.#toldAt > TOLD_EVERY) {
      this.#toldAt = performance.now();
      this.#log.warn(`an upload was refused: ${reason}`);
    }
    return storageFull(reason);
  }

  #describe(): string {
    const free = Math.max(0, Math.floor((this.#free - this.#writtenSince) / MIB));
    const reserve = Math.ceil(this.#reserve / MIB);
    return `The disk of the service has ${free} MiB left, of which ${reserve} MiB are reserved for its database.`;
  }
}

/** Bytes that files take on the disk. */
export function blocks(files: readonly { size: number }[]): number {
  return files.reduce((sum, { size }) => sum + Math.ceil(size / BLOCK) * BLOCK, 0);
}
