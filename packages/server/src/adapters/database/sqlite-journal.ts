import { close, fdatasync, fstat, open } from 'node:fs';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';

/** Size of the write-ahead log (bytes) from which it is copied into the database. */
const CHECKPOINT_FROM = 8 * 1024 * 1024;

/**
 * Run by a worker: copies the write-ahead log into the database without waiting for readers or writers. The next writer
 * restarts the log from its beginning.
 */
const CHECKPOINT_SOURCE = `
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(require('node:worker_threads').workerData, { timeout: 1000 });
  database.exec('pragma wal_checkpoint(passive)');
  database.close();
`;

/**
 * Makes commits durable without blocking the event loop. SQLite runs with `synchronous = normal`, so a commit only
 * appends to the write-ahead log. The sync that `full` would then do on this thread happens on another one, once for
 * all waiting commits. Copying the log into the database also syncs and is left to a worker.
 */
export class SqliteJournal {
  readonly #file: string;
  /** Opened by the first sync: SQLite creates the log with the first commit. */
  #log: Promise<number> | null = null;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;
  #checkpoint: Promise<void> | null = null;

  /** `file` is a database in WAL mode that is closed after this journal. */
  constructor(file: string) {
    this.#file = file;
  }

  /** Resolves once everything committed so far survives a power cut. */
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
    if (this.#log) await promisify(close)(await this.#log);
  }

  async #syncLog(): Promise<void> {
    this.#log ??= promisify(open)(`${this.#file}-wal`, 'r+');
    const log = await this.#log;
    await promisify(fdatasync)(log);
    const { size } = await promisify(fstat)(log);
    if (size >= CHECKPOINT_FROM) this.#startCheckpoint();
  }

  #startCheckpoint(): void {
    if (this.#checkpoint) return;
    this.#checkpoint = new Promise<void>((resolve) => {
      const worker = new Worker(CHECKPOINT_SOURCE, { eval: true, workerData: this.#file });
      worker.once('error', () => resolve());
      worker.once('exit', () => resolve());
    }).then(() => {
      this.#checkpoint = null;
    });
  }
}
