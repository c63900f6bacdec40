import { type ChildProcess, spawn } from 'node:child_process';

/** Milliseconds. */
const TIMEOUT = 5_000;

/** Writes out the file system of the folder `$1` for each line that comes, and answers one when that is done. */
const LOOP = 'while read -r _; do sync -f -- "$1"; echo; done';
const NEWLINE = 10;

/**
 * Writes out everything that waits to be written on the file system of a folder, in one go. It only saves time: where the
 * command is missing or slow, whoever needs a file on the disk syncs it anyway.
 *
 * A shell does it that is started once, early: to start a process copies the page tables of this one, and holds the event
 * loop for 0.2 seconds where the service has grown to 4 GB.
 */
export class FileSystemFlush {
  readonly #folder: string;
  #shell: ChildProcess | null = null;
  /** Those who wait, in the order in which they are answered. */
  #waiting: (() => void)[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Starts the shell, which otherwise starts with the first flush. */
  start(): void {
    if (this.#shell !== null) return;
    const shell = spawn('sh', ['-c', LOOP, 'sh', this.#folder], { stdio: ['pipe', 'pipe', 'ignore'] });
    this.#shell = shell;
    // Without a file descriptor to spare there is no process, and there are no pipes to it.
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

  /** The shell ends after what it is at, however long that takes; nobody stays for it. */
  close(): void {
    this.#shell?.stdin?.end();
    this.#keepAlive(false);
  }

  #answer(count: number): void {
    for (const resolve of this.#waiting.splice(0, count)) resolve();
    if (this.#waiting.length === 0) this.#keepAlive(false);
  }

  /** This program does not stay alive for a shell that nobody waits for. */
  #keepAlive(stays: boolean): void {
    for (const pipe of [this.#shell?.stdin, this.#shell?.stdout] as (Pipe | null | undefined)[]) {
      if (stays) pipe?.ref();
      else pipe?.unref();
    }
  }
}

/** What the streams to a process are, besides what their types say. */
type Pipe = { ref(): void; unref(): void };
