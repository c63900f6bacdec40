import fs from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { ServiceError } from '../../../errors.ts';
import { unlessMissing } from '../../../objects/missing.ts';
import { storageFull } from '../../../process/lack-of-resources.ts';
import { makeFolder, PRIVATE_FILE, syncFolder } from '../files.ts';

/** Milliseconds for which a reading of the free space is reused, less the bytes written here since. */
const FRESH = 200;
/** Minimum milliseconds between two log lines about a full disk. */
const LOG_INTERVAL = 60_000;
const BLOCK = 4_096;
/** With at most this share of the reserve free above the reserve, uploads will soon be refused. */
const NEAR = 1 / 4;
/** With less than this share of the reserve free, the database is in danger. */
const DANGER = 1 / 4;
const MIB = 1024 * 1024;

/** Space reserved for an upload. Disposing it releases the part that was not written. */
export interface Claim extends Disposable {
  /** Records that `bytes` more bytes were written. Throws `storage_full` if others have filled the disk. */
  wrote(bytes: number): void;
}

/**
 * Keeps uploads from using the last bytes of the disk, which the database needs to stay writable, and from writing
 * where the disk is not mounted: then everything throws `unavailable`. Bytes that uploads in
 * progress have yet to write count as used.
 */
export class DiskSpace {
  readonly #folder: string;
  readonly #mark: string | null;
  readonly #reserve: number;
  readonly #log: Logger;
  #free = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | null = null;
  #writtenSince = 0;
  #claimed = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;

  /** `reserve` is in bytes; `mark` is the id in the mark of the folder. */
  constructor({
    folder,
    mark,
    reserve,
    log,
  }: { folder: string; mark: string | null; reserve: number; log: Logger }) {
    this.#folder = folder;
    this.#mark = mark;
    this.#reserve = reserve;
    this.#log = log;
  }

  /** Throws `storage_full` if `bytes` more bytes do not fit. */
  async require(bytes: number): Promise<void> {
    await this.#look();
    if (bytes > 0 && this.#room() - this.#claimed < bytes) throw this.#full();
  }

  /** Like `require`, and reserves the bytes. */
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

  /**
   * Returns why uploads are refused or soon will be; null if there is room. Throws `storage_full` if the database is in
   * danger.
   */
  async refusal(): Promise<string | null> {
    await this.#look();
    const room = this.#room();
    if (room < -this.#reserve * (1 - DANGER)) throw storageFull(this.#describe());
    return room > this.#reserve * NEAR ? null : `Uploads are refused, or soon will be. ${this.#describe()}`;
  }

  /** Returns the current values of the file system. */
  async report(): Promise<{ total: number; free: number; reserve: number }> {
    const { blocks, bavail, bsize } = await fs.promises.statfs(this.#folder);
    return { total: blocks * bsize, free: bavail * bsize, reserve: this.#reserve };
  }

  /** Bytes above the reserve; negative if the reserve is in use. */
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
    if (this.#mark !== null) await requireMark(this.#folder, this.#mark);
    const { bavail, bsize } = await fs.promises.statfs(this.#folder);
    this.#free = bavail * bsize;
    this.#writtenSince -= writtenBefore;
    this.#lookedAt = performance.now();
  }

  #full(): ServiceError {
    const reason = this.#describe();
    if (performance.now() - this.#loggedAt > LOG_INTERVAL) {
      this.#loggedAt = performance.now();
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

/** Bytes that files occupy on the disk. */
export function blocks(files: readonly { size: number }[]): number {
  return files.reduce((sum, { size }) => sum + Math.ceil(size / BLOCK) * BLOCK, 0);
}

/**
 * The mark of a store's folder: a file with a random id, which the database knows too. Where a disk is not mounted, its
 * mount point is an empty folder: without the mark, what is published would be written there.
 */
export function markFile(folder: string): string {
  return `${folder}/store-id`;
}

/** Returns the id in the mark of a folder; null if there is none. */
export async function readMark(folder: string): Promise<string | null> {
  return (await unlessMissing(readFile(markFile(folder), 'utf8')))?.trim() ?? null;
}

/** Marks a folder durably, creating it if it does not exist. */
export async function writeMark(folder: string, id: string): Promise<void> {
  await makeFolder(folder);
  const arriving = `${markFile(folder)}.new`;
  await writeFile(arriving, `${id}\n`, { mode: PRIVATE_FILE, flush: true });
  await rename(arriving, markFile(folder));
  await syncFolder(folder);
}

/** Throws `unavailable` if the folder does not have the mark that it had when the service started. */
export async function requireMark(folder: string, id: string): Promise<void> {
  if ((await readMark(folder)) === id) return;
  throw new ServiceError(
    'unavailable',
    'The disk with the files of libraries is missing; nothing can be stored.',
  );
}
