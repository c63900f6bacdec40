import { closeSync, ftruncateSync, readSync } from 'node:fs';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import type { ContentBuffer } from './content-buffers.ts';
import type { PartialFiles } from './partial-files.ts';
import { writeFully } from './place-content.ts';
import type { TargetFile } from './select-files.ts';

/** Milliseconds for which a file may be received before what has arrived is written to disk. */
const WRITTEN_AFTER = 1_000;
/** Fewer bytes are requested again rather than written. */
const WORTH_KEEPING = 64 * 1024;

/** A file that arrives in memory, and the partial file that keeps what has arrived for the next pull. */
export class MemoryPart {
  /** Bytes of the content that the memory has. */
  filled = 0;
  /** Whether some of them are from an earlier pull. */
  isResumed = false;
  readonly #memory: ContentBuffer;
  readonly #file: TargetFile;
  readonly #folder: GuardedFolder;
  readonly #partials: PartialFiles;
  readonly #name: string;
  readonly #startedAt = performance.now();
  #descriptor: number | null;
  #written = 0;

  private constructor(
    memory: ContentBuffer,
    file: TargetFile,
    { folder, partials }: { folder: GuardedFolder; partials: PartialFiles },
    { name, descriptor }: { name: string; descriptor: number | null },
  ) {
    [this.#memory, this.#file, this.#folder, this.#partials] = [memory, file, folder, partials];
    [this.#name, this.#descriptor] = [name, descriptor];
  }

  /** Starts with what an earlier pull kept, if it did. */
  static async open(
    memory: ContentBuffer,
    file: TargetFile,
    parts: { folder: GuardedFolder; partials: PartialFiles },
  ): Promise<MemoryPart> {
    const part = new MemoryPart(memory, file, parts, await parts.partials.resume(file));
    part.#load();
    return part;
  }

  /** Adds bytes, which may be in their place in the memory already. */
  add(bytes: Buffer): void {
    const isInPlace = bytes.buffer === this.#memory.buffer;
    this.filled += isInPlace ? bytes.length : bytes.copy(this.#memory, this.filled);
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
      this.#descriptor ??= this.#folder.openSibling(this.#file.path, this.#name);
      writeFully(this.#descriptor, this.#memory.subarray(this.#written, this.filled), this.#written);
      this.#written = this.filled;
    } catch {
      // The file is not in place yet: whoever puts it there gets the error, if it lasts.
    }
  }

  /** Deletes the partial file. */
  remove(): void {
    if (this.#descriptor !== null) this.#folder.removeSibling(this.#file.path, this.#name);
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#partials.release(this.#name);
  }

  #load(): void {
    if (this.#descriptor === null) return;
    while (this.filled < this.#file.size) {
      const room = this.#file.size - this.filled;
      const read = readSync(this.#descriptor, this.#memory, this.filled, room, this.filled);
      if (read === 0) break;
      this.filled += read;
    }
    this.#written = this.filled;
    this.isResumed = this.filled > 0;
  }
}
