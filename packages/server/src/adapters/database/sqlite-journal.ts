import { close, fdatasync, fstat, open } from 'node:fs';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';

/** Bytes of the write-ahead log from which it is copied into the database. */
const CHECKPOINT_FROM = 8 * 1024 * 1024;

/**
 * Makes commits durable without holding the event loop. SQLite runs with `synchronous = normal`: a commit only
 * appends to the write-ahead log. What `full` would then do on this thread, syncing the log, happens here on another,
 * once for all commits that wait for it. Copying the log into the database, which syncs too, is a worker's job.
 */
export class SqliteJournal {
  readonly #file: string;
  readonly #log: Promise<number>;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;
  #checkpoint: Promise<void> | null = null;

  /** `file` is a database in WAL mode that stays open longer than this. */
  constructor(file: string) {
    this.#file = file;
    this.#log = promisify(open)(`${file}-wal`, 'r+');
    this.#log.catch(() => {});
  }

  /** Resolves once everything that is committed now survives a power cut. */
  sync(): Promise<void> {
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = null;
        this.#running = this.#syncLog();
        return this.#running;
      });
    return this.#next;
  }

  async close(): Promise<void> {
    await this.#running.catch(() => {});
    await this.#checkpoint;
    await promisify(close)(await this.#log);
  }

  async #syncLog(): Promise<void> {
    const log = await this.#log;
    await promisify(fdatasync)(log);
    const { size } = await promisify(fstat)(log);
    if (size >= CHECKPOINT_FROM) this.#startCheckpoint();
  }

  #startCheckpoint(): void {
    if (this.#checkpoint) return;
    this.#checkpoint = new Promise<void>((resolve) => {
      const worker = new Worker(new URL('./sqlite-checkpoint.ts', import.meta.url), {
        workerData: this.#file,
      });
      worker.once('error', () => resolve());
      worker.once('exit', () => resolve());
    }).then(() => {
      this.#checkpoint = null;
    });
  }
}
