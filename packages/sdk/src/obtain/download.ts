import { closeSync, fstatSync, ftruncateSync } from 'node:fs';
import { IntegrityError } from '../failures.ts';
import {
  type ContentBuffer,
  type ContentBufferPool,
  MAX_IN_MEMORY,
  type Placement,
} from '../place/placement.ts';
import type { Placer } from '../place/placer.ts';
import type { TargetFile } from '../place/written-files.ts';
import { identityOf } from '../tree/file-identity.ts';
import { readFully, writeFully } from '../tree/files.ts';
import type { IncrementalDigests } from './incremental-digests.ts';
import { type Exchange, receive } from './receive.ts';

export interface DownloadParts {
  placer: Placer;
  placement: Placement;
  buffers: ContentBufferPool;
  digests: IncrementalDigests;
  /** Repeats an exchange until it succeeds; `receive` reports where each attempt starts. */
  withRetries(attempt: (exchange: Exchange) => Promise<void>): Promise<void>;
  onBytes(bytes: number): void;
  signal?: AbortSignal | undefined;
}

/** Downloads a file, verifies it and moves it into place atomically. */
export async function download(file: TargetFile, parts: DownloadParts): Promise<void> {
  if (file.size > MAX_IN_MEMORY) await downloadToDisk(file, parts);
  else await parts.buffers.use((memory) => downloadInto(memory, file, parts));
}

/** Receives a file into memory. What has arrived is also written to a partial file if that takes long, or fails. */
async function downloadInto(memory: ContentBuffer, file: TargetFile, parts: DownloadParts): Promise<void> {
  const part = await MemoryPart.open(memory, file, parts.placer);
  try {
    parts.onBytes(part.filled);
    await parts.withRetries(async (exchange) => {
      if (part.filled === file.size && part.isResumed) return;
      await receive({
        ...exchange,
        file,
        from: part.filled,
        onStart: (at) => {
          parts.onBytes(at - part.filled);
          part.restartAt(at);
        },
        onBytes: (bytes) => {
          part.add(bytes);
          parts.onBytes(bytes.length);
        },
      });
    });
    const wrong = await parts.placement.place([{ file, at: 0 }], memory, (_, identity) =>
      parts.placer.record(file, identity),
    );
    if (wrong.length === 0) return part.remove();
    parts.onBytes(-file.size);
    throw part.isResumed ? new DamagedPartialError(file) : hashMismatchError(file);
  } catch (error) {
    if (error instanceof IntegrityError) part.remove();
    else part.keep();
    throw error;
  } finally {
    part.close();
  }
}

async function downloadToDisk(file: TargetFile, parts: DownloadParts): Promise<void> {
  const { placer } = parts;
  const { folder, partials } = placer;
  const { name, descriptor: resumed } = await partials.resume(file);
  const descriptor = resumed ?? folder.openSibling(file.path, name);
  try {
    const present = truncateOversized(descriptor, file.size);
    if ((await fill(descriptor, present, file, parts)) !== file.sha256) {
      parts.onBytes(-file.size);
      throw present > 0 ? new DamagedPartialError(file) : hashMismatchError(file);
    }
    await placer.cache?.addFile(file, folder.reopenPath(file.path, name, descriptor));
    const identity = identityOf(fstatSync(descriptor, { bigint: true }));
    // Whoever took this process for ended has removed the file, or something else has its name.
    if (folder.lstatSibling(file.path, name)?.ino !== identity.inode) throw new DamagedPartialError(file);
    folder.putInPlace(file.path, name);
    placer.record(file, identity);
  } catch (error) {
    if (error instanceof IntegrityError) folder.removeSibling(file.path, name);
    throw error;
  } finally {
    closeSync(descriptor);
    partials.release(name);
  }
}

/** Downloads what an open file that has `present` bytes lacks. Returns the SHA-256 of the whole file. */
async function fill(
  descriptor: number,
  present: number,
  file: TargetFile,
  { digests, signal, withRetries, onBytes }: DownloadParts,
): Promise<string> {
  const digest = await digests.of(descriptor, present, signal);
  let at = present;
  onBytes(at);
  const continueAt = (start: number) => {
    if (start === at) return;
    onBytes(-at);
    ftruncateSync(descriptor, 0);
    digest.restart();
    at = 0;
  };
  const append = (bytes: Buffer) => {
    writeFully(descriptor, bytes, at);
    digest.add(bytes);
    at += bytes.length;
    onBytes(bytes.length);
  };
  try {
    await withRetries(async (exchange) => {
      if (at < file.size)
        await receive({ ...exchange, file, from: at, onStart: continueAt, onBytes: append });
    });
    return await digest.end();
  } finally {
    digest.abandon();
  }
}

/** A partial file was changed or removed by others. It has been deleted; the file can be downloaded from the start. */
export class DamagedPartialError extends IntegrityError {
  constructor({ path }: TargetFile) {
    super(`the part of ${path} that had arrived was damaged.`);
  }
}

function hashMismatchError({ path, sha256 }: TargetFile): IntegrityError {
  return new IntegrityError(`${path} does not match its manifest (SHA-256 ${sha256}) and was discarded.`, {
    code: 'content_mismatch',
    details: { path },
  });
}

/** Returns the size of a partial file. One that is too long is emptied. */
function truncateOversized(descriptor: number, size: number): number {
  const present = fstatSync(descriptor).size;
  if (present <= size) return present;
  ftruncateSync(descriptor, 0);
  return 0;
}

/** Milliseconds for which a file may be received before what has arrived is written to disk. */
const WRITTEN_AFTER = 1_000;
/** Fewer bytes are requested again rather than written. */
const WORTH_KEEPING = 64 * 1024;

/** A file that arrives in memory, and the partial file that keeps what has arrived for the next pull. */
class MemoryPart {
  /** Bytes of the content that the memory has. */
  filled = 0;
  /** Whether some of them are from an earlier pull. */
  isResumed = false;
  readonly #memory: ContentBuffer;
  readonly #file: TargetFile;
  readonly #placer: Placer;
  readonly #name: string;
  readonly #startedAt = performance.now();
  #descriptor: number | null;
  #written = 0;

  private constructor(
    memory: ContentBuffer,
    file: TargetFile,
    placer: Placer,
    { name, descriptor }: { name: string; descriptor: number | null },
  ) {
    [this.#memory, this.#file, this.#placer] = [memory, file, placer];
    [this.#name, this.#descriptor] = [name, descriptor];
  }

  /** Starts with what an earlier pull kept, if it did. */
  static async open(memory: ContentBuffer, file: TargetFile, placer: Placer): Promise<MemoryPart> {
    const part = new MemoryPart(memory, file, placer, await placer.partials.resume(file));
    part.#load();
    return part;
  }

  add(bytes: Buffer): void {
    this.filled += bytes.copy(this.#memory, this.filled);
    if (performance.now() - this.#startedAt > WRITTEN_AFTER) this.keep();
  }

  /** What is received next belongs at this offset. */
  restartAt(at: number): void {
    if (at === this.filled) return;
    [this.filled, this.#written, this.isResumed] = [at, 0, false];
    if (this.#descriptor !== null) ftruncateSync(this.#descriptor, 0);
  }

  /** Writes what has arrived to the partial file, if it can be written. */
  keep(): void {
    if (this.filled - this.#written < WORTH_KEEPING) return;
    try {
      this.#descriptor ??= this.#placer.folder.openSibling(this.#file.path, this.#name);
      writeFully(this.#descriptor, this.#memory.subarray(this.#written, this.filled), this.#written);
      this.#written = this.filled;
    } catch {
      // The file is not in place yet: whoever puts it there gets the error, if it lasts.
    }
  }

  /** Deletes the partial file. */
  remove(): void {
    if (this.#descriptor !== null) this.#placer.folder.removeSibling(this.#file.path, this.#name);
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#placer.partials.release(this.#name);
  }

  #load(): void {
    if (this.#descriptor === null) return;
    this.filled += readFully(
      this.#descriptor,
      this.#memory.subarray(this.filled, this.#file.size),
      this.filled,
    );
    this.#written = this.filled;
    this.isResumed = this.filled > 0;
  }
}
