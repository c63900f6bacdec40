import { createHash, type Hash } from 'node:crypto';
import { readSync } from 'node:fs';
import { TaskThread } from '@bindery/concurrency/task-thread';
import type { DigestRequest, DigestResult, NumberedRequest } from './digest-thread.ts';

/** The SHA-256 of an open file that is being appended to. */
export interface IncrementalDigest {
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
const NOTIFY_EVERY_BYTES = 4 * 1024 * 1024;

const READ_CHUNK = 1024 * 1024;

const THREAD = { entry: new URL('./digest-thread.ts', import.meta.url), heapMegabytes: 64 };

/** Hashes files while they are written; if there is much, in a thread that reads them back while more arrives. */
export class IncrementalDigests {
  readonly #thread: TaskThread | null;
  #files = 0;

  /** `bytes` is the total of all files. */
  constructor(bytes: number) {
    this.#thread = bytes < WORTH_A_THREAD ? null : new TaskThread(THREAD);
  }

  /** Starts the digest of a file that already has `present` bytes. Throws the signal's reason. */
  async of(descriptor: number, present: number, signal?: AbortSignal): Promise<IncrementalDigest> {
    if (this.#thread === null) return new InlineDigest(await hashPrefix(descriptor, present, signal));
    return new ThreadDigest(this.#thread, this.#files++, descriptor, present);
  }

  async close(): Promise<void> {
    await this.#thread?.close();
  }
}

class InlineDigest implements IncrementalDigest {
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

class ThreadDigest implements IncrementalDigest {
  readonly #thread: TaskThread;
  readonly #file: number;
  readonly #descriptor: number;
  #written: number;
  #notified = 0;

  constructor(thread: TaskThread, file: number, descriptor: number, present: number) {
    this.#thread = thread;
    this.#file = file;
    this.#descriptor = descriptor;
    this.#written = present;
  }

  add(bytes: Uint8Array): void {
    this.#written += bytes.length;
    if (this.#written - this.#notified >= NOTIFY_EVERY_BYTES) this.#notifyThread();
  }

  restart(): void {
    [this.#written, this.#notified] = [0, 0];
    this.#ask({ type: 'restart' });
  }

  async end(): Promise<string> {
    this.#notifyThread();
    const digest = await this.#ask({ type: 'end' });
    // There is no digest if the thread has ended or could not read the file.
    return digest ?? (await hashPrefix(this.#descriptor, this.#written)).digest('hex');
  }

  abandon(): void {
    this.#ask({ type: 'restart' });
  }

  #notifyThread(): void {
    this.#ask({ type: 'read', descriptor: this.#descriptor, to: this.#written });
    this.#notified = this.#written;
  }

  #ask(request: DigestRequest): Promise<DigestResult> {
    const task: NumberedRequest = { ...request, file: this.#file };
    return this.#thread.run<DigestResult>(task).catch(() => null);
  }
}

/** Returns the digest of the first `size` bytes of a file, or of fewer if it is shorter. Throws the signal's reason. */
async function hashPrefix(descriptor: number, size: number, signal?: AbortSignal): Promise<Hash> {
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
