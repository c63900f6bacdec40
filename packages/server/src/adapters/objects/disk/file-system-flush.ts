import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { getSystemErrorName } from 'node:util';
import { ServiceError } from '../../../errors.ts';
import { TMPFS } from './file-systems.ts';
import type { Layout } from './layout.ts';
import { LostWriteReports } from './lost-write-reports.ts';

/** Milliseconds. */
const START_TIMEOUT = 10_000;
const FLUSH_TIMEOUT = 60_000;
const END_TIMEOUT = 5_000;

/** Seconds after which a client may retry: its files are then synced one by one. */
const RETRY_AFTER = 5;

/** The number of the system call `syncfs` on Linux, which neither Node nor any common command calls as needed here. */
const SYNCFS: Partial<Record<NodeJS.Architecture, number>> = {
  arm64: 267,
  loong64: 267,
  riscv64: 267,
  s390x: 338,
  x64: 306,
};

/**
 * Opens a folder once. Prints a line when that is done, and for each line read flushes the file system of the folder and
 * prints the number of the error, 0 for none. Ignores signals that reach all processes of the service, which has yet to
 * answer its last requests then; ends with its input.
 */
const PROGRAM = `
  $SIG{$_} = 'IGNORE' for qw(HUP INT TERM);
  my ($syncfs, $folder) = @ARGV;
  sysopen(my $held, $folder, 0) or exit 1;
  $| = 1;
  print "0\\n";
  while (<STDIN>) {
    print(syscall($syncfs + 0, fileno $held) == 0 ? "0\\n" : ($! + 0) . "\\n");
  }
`;

interface Waiting {
  resolve: () => void;
  reject: (error: Error) => void;
}

/**
 * Flushes the whole file system of a folder in one go, in a process that keeps the folder open: Linux tells each open
 * file of the writes that were lost since it was opened, whoever else has been told. See docs/decisions/0020. The first
 * flush that fails, or does not end in time, is the last.
 */
export class FileSystemFlush {
  readonly #reports: LostWriteReports | null;
  readonly #process: ChildProcess;
  readonly #timeout: number;
  readonly #ended: Promise<void>;
  /** Flushes that have not ended, in order; the first is the start. */
  #waiting: Waiting[] = [];
  #failure: Error | null = null;
  #unread = '';

  /**
   * Resolves once the folder is open; to null where that is not possible, as without Perl or on another system, and in
   * memory, where there is nothing to flush. Each flush may take `timeout` milliseconds.
   */
  static async start(layout: Layout, timeout = FLUSH_TIMEOUT): Promise<FileSystemFlush | null> {
    const number = process.platform === 'linux' ? SYNCFS[process.arch] : undefined;
    if (number === undefined) return null;
    const { type } = await fs.promises.statfs(layout.objects);
    if (type === TMPFS) return null;
    const reports = await LostWriteReports.open(layout);
    const flusher = spawn('perl', ['-e', PROGRAM, `${number}`, layout.objects], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const flush = new FileSystemFlush(flusher, timeout, reports);
    return flush.#answered(START_TIMEOUT).then(
      () => flush,
      () => null,
    );
  }

  private constructor(flusher: ChildProcess, timeout: number, reports: LostWriteReports | null) {
    this.#reports = reports;
    this.#process = flusher;
    this.#timeout = timeout;
    const ended = Promise.withResolvers<void>();
    this.#ended = ended.promise;
    const end = () => this.#fail(unanswered());
    for (const event of ['error', 'close']) flusher.on(event, end).on(event, ended.resolve);
    // If no file descriptor is free, there is no process and there are no pipes to it.
    flusher.stdin?.on('error', end);
    flusher.stdout?.setEncoding('latin1').on('data', (text: string) => this.#read(text));
    flusher.unref();
  }

  get works(): boolean {
    return this.#failure === null;
  }

  /** Whether a successful flush proves that everything written since the start is on the disk. */
  get isProof(): boolean {
    return this.#reports !== null;
  }

  /** Throws the error of the system if writes were lost, also those of other programs; else `unavailable`. */
  async flush(): Promise<void> {
    if (this.#failure) throw this.#failure;
    const answer = this.#answered(this.#timeout);
    this.#process.stdin?.write('\n');
    await answer;
    try {
      await this.#reports?.check();
    } catch (error) {
      this.#fail(error as Error);
      throw error;
    }
  }

  /** Makes this and all later flushes fail, and kills the process. */
  stop(): void {
    this.#fail(unanswered());
  }

  /** Resolves once the process has ended, and with it the use of the folder, unless the disk keeps it from ending. */
  async close(): Promise<void> {
    this.stop();
    this.#process.ref();
    await Promise.race([this.#ended, sleep(END_TIMEOUT, undefined, { ref: false })]);
    this.#process.unref();
  }

  async #answered(timeout: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ resolve, reject });
    this.#keepAlive(true);
    const timer = setTimeout(() => this.stop(), timeout);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  #read(text: string): void {
    const lines = (this.#unread + text).split('\n');
    this.#unread = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '0') this.#waiting.shift()?.resolve();
      else this.#fail(writesLost(Number(line)));
    }
    if (this.#waiting.length === 0) this.#keepAlive(false);
  }

  #fail(error: Error): void {
    if (this.#failure) return;
    this.#failure = error;
    this.#process.kill('SIGKILL');
    this.#keepAlive(false);
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  /** Keeps this process alive for the other only while it waits for an answer. */
  #keepAlive(stays: boolean): void {
    for (const pipe of [this.#process.stdin, this.#process.stdout] as (Pipe | null)[]) {
      if (stays) pipe?.ref();
      else pipe?.unref();
    }
  }
}

/** Methods of the pipes to a process that are missing from their types. */
type Pipe = { ref(): void; unref(): void };

function writesLost(errorNumber: number): Error {
  const code = errorNumber > 0 ? getSystemErrorName(-errorNumber) : 'EIO';
  return Object.assign(new Error(`${code}: writes to the disk were lost`), { code });
}

function unanswered(): Error {
  return new ServiceError('unavailable', 'The disk of the service did not confirm the files. Try again.', {
    retryAfter: RETRY_AFTER,
  });
}
