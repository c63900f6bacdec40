import { type ChildProcess, spawn } from 'node:child_process';

/** Milliseconds. */
const TIMEOUT = 5_000;

/** Syncs the file system of the folder `$1` for each line read, and prints a line when that is done. */
const LOOP = 'while read -r _; do sync -f -- "$1"; echo; done';
const NEWLINE = 10;

/**
 * Flushes the whole file system of a folder in one go. This only saves time: any file that must be on disk is synced
 * anyway, so it does not matter if the command is missing or slow.
 *
 * The command runs in a shell that is started once, early: spawning a process copies the page tables of this one, which
 * blocks the event loop for 0.2 seconds once the service has grown to 4 GB.
 */
export class FileSystemFlush {
  readonly #folder: string;
  #shell: ChildProcess | null = null;
  /** Callbacks of pending flushes, in the order in which they complete. */
  #waiting: (() => void)[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Starts the shell, which otherwise starts with the first flush. */
  start(): void {
    if (this.#shell !== null) return;
    const shell = spawn('sh', ['-c', LOOP, 'sh', this.#folder], { stdio: ['pipe', 'pipe', 'ignore'] });
    this.#shell = shell;
    // If no file descriptor is free, there is no process and there are no pipes to it.
    shell.stdout?.on('data', (bytes: Buffer) =>
      this.#answer(bytes.filter((byte) => byte === NEWLINE).length),
    );
    const end = () => this.#answer(this.#waiting.length);
    shell.on('error', end).on('close', end);
    shell.stdin?.on('error', end);
    this.#keepAlive(false);
    shell.unref();
  }

  async flush(): Promise<void> {
    this.start();
    const pipe = this.#shell?.stdin;
    if (!pipe?.writable) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    this.#keepAlive(true);
    pipe.write('\n');
    const timer = setTimeout(resolve, TIMEOUT);
    await promise;
    clearTimeout(timer);
  }

  /** The shell exits after the sync in progress, however long that takes; nothing waits for it. */
  close(): void {
    this.#shell?.stdin?.end();
    this.#keepAlive(false);
  }

  #answer(count: number): void {
    for (const resolve of this.#waiting.splice(0, count)) resolve();
    if (this.#waiting.length === 0) this.#keepAlive(false);
  }

  /** Keeps this process alive for the shell only while a flush is pending. */
  #keepAlive(stays: boolean): void {
    for (const pipe of [this.#shell?.stdin, this.#shell?.stdout] as (Pipe | null | undefined)[]) {
      if (stays) pipe?.ref();
      else pipe?.unref();
    }
  }
}

/** Methods of the pipes to a process that are missing from their types. */
type Pipe = { ref(): void; unref(): void };
