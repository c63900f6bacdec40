import { createHash, type Hash } from 'node:crypto';
import { readSync } from 'node:fs';
import { TaskThread } from '@bindery/concurrency/task-thread';
import type { DigestAnswer, DigestRequest, NumberedRequest } from './digest-thread.ts';

/** The SHA-256 of an open file that grows at its end. */
export interface WrittenDigest {
  /** These were written. Their memory may be filled anew after the call. */
  add(bytes: Uint8Array): void;
  /** The file was emptied. */
  restart(): void;
  /** In hexadecimal, of all that was written; nothing is added afterwards. */
  end(): Promise<string>;
  /** Nobody wants it any more. */
  abandon(): void;
}

/** From so many bytes on, starting a thread takes less than it brings. */
const WORTH_A_THREAD = 64 * 1024 * 1024;

/** How much is written before the thread hears of it. */
const TOLD_AT_ONCE = 4 * 1024 * 1024;

const READ_CHUNK = 1024 * 1024;

const THREAD = { entry: new URL('./digest-thread.ts', import.meta.url), heapMegabytes: 64 };

/** Hashes files while they are written: where there is much, in a thread that reads them again, while more arrives. */
export class WrittenDigests {
  readonly #thread: TaskThread | null;
  #files = 0;

  /** For so many bytes in all. */
  constructor(bytes: number) {
    this.#thread = bytes < WORTH_A_THREAD ? null : new TaskThread(THREAD);
  }

  /** Of a file that holds `present` bytes already. Throws the reason of the signal. */
  async of(descriptor: number, present: number, signal?: AbortSignal): Promise<WrittenDigest> {
    if (this.#thread === null) return new DigestHere(await readHere(descriptor, present, signal));
    return new DigestInThread(this.#thread, this.#files++, descriptor, present);
  }

  async close(): Promise<void> {
    await this.#thread?.close();
  }
}

class DigestHere implements WrittenDigest {
  #digest: Hash;

  constructor(digest: Hash) {
    this.#digest = digest;
  }

  add(bytes: Uint8Array): void {
    this.#digest.update(bytes);
  }

  restart(): void {
    this.#digest = createHash('sha256');
  }

  async end(): Promise<string> {
    return this.#digest.digest('hex');
  }

  abandon(): void {}
}

class DigestInThread implements WrittenDigest {
  readonly #thread: TaskThread;
  readonly #file: number;
  readonly #descriptor: number;
  #written: number;
  #told = 0;

  constructor(thread: TaskThread, file: number, descriptor: number, present: number) {
    this.#thread = thread;
    this.#file = file;
    this.#descriptor = descriptor;
    this.#written = present;
  }

  add(bytes: Uint8Array): void {
    this.#written += bytes.length;
    if (this.#written - this.#told >= TOLD_AT_ONCE) this.#tell();
  }

  restart(): void {
    [this.#written, this.#told] = [0, 0];
    this.#ask({ type: 'restart' });
  }

  async end(): Promise<string> {
    this.#tell();
    const digest = await this.#ask({ type: 'end' });
    // A thread that ended has read nothing.
    return digest ?? (await readHere(this.#descriptor, this.#written)).digest('hex');
  }

  abandon(): void {
    this.#ask({ type: 'restart' });
  }

  #tell(): void {
    this.#ask({ type: 'read', descriptor: this.#descriptor, to: this.#written });
    this.#told = this.#written;
  }

  #ask(request: DigestRequest): Promise<DigestAnswer> {
    const task: NumberedRequest = { ...request, file: this.#file };
    return this.#thread.run<DigestAnswer>(task).catch(() => null);
  }
}

/** The digest of the first `size` bytes of a file, or of those that are there. Throws the reason of the signal. */
async function readHere(descriptor: number, size: number, signal?: AbortSignal): Promise<Hash> {
  const digest = createHash('sha256');
  const chunk = Buffer.allocUnsafe(Math.min(READ_CHUNK, size));
  for (let at = 0; at < size; ) {
    const read = readSync(descriptor, chunk, 0, Math.min(chunk.length, size - at), at);
    if (read === 0) break;
    digest.update(chunk.subarray(0, read));
    at += read;
    await new Promise(setImmediate);
    signal?.throwIfAborted();
  }
  return digest;
}
