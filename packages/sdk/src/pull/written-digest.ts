import { createHash, type Hash } from 'node:crypto';
import { readSync } from 'node:fs';
import { TaskThread } from '@bindery/concurrency/task-thread';
import type { DigestAnswer, DigestRequest, NumberedRequest } from './digest-thread.ts';

/** The SHA-256 of an open file that is being appended to. */
export interface WrittenDigest {
  /** Called after these bytes were written. Their memory can be reused after the call. */
  add(bytes: Uint8Array): void;
  /** Called after the file was emptied. */
  restart(): void;
  /** Returns the digest of everything that was written, in hexadecimal. Nothing can be added afterwards. */
  end(): Promise<string>;
  /** Discards the digest. */
  abandon(): void;
}

/** From this many bytes on, a thread saves more time than it takes to start. */
const WORTH_A_THREAD = 64 * 1024 * 1024;

/** How many bytes are written before the thread is notified. */
const TOLD_AT_ONCE = 4 * 1024 * 1024;

const READ_CHUNK = 1024 * 1024;

const THREAD = { entry: new URL('./digest-thread.ts', import.meta.url), heapMegabytes: 64 };

/** Hashes files while they are written; if there is much, in a thread that reads them back while more arrives. */
export class WrittenDigests {
  readonly #thread: TaskThread | null;
  #files = 0;

  /** `bytes` is the total of all files. */
  constructor(bytes: number) {
    this.#thread = bytes < WORTH_A_THREAD ? null : new TaskThread(THREAD);
  }

  /** Starts the digest of a file that already has `present` bytes. Throws the signal's reason. */
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
    // There is no digest if the thread has ended or could not read the file.
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

/** Returns the digest of the first `size` bytes of a file, or of fewer if it is shorter. Throws the signal's reason. */
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
