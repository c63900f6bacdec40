import fs from 'node:fs';
import type { DestinationStream, Logger } from 'pino';
import pino from 'pino';
import type { Configuration } from '../configuration/configuration.ts';

const STDERR = 2;

/**
 * Creates the log: JSON lines on stderr, or short lines on a terminal. It contains paths and ids, but never queries,
 * headers or bodies, so no token, share token or signature.
 */
export function createLog({ logLevel }: Pick<Configuration, 'logLevel'>): Logger {
  const options = {
    level: logLevel,
    base: null,
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: pino.stdSerializers.errWithCause },
  };
  const stream = new LogStream(STDERR);
  return pino(options, process.stderr.isTTY ? new TerminalLog(stream) : stream);
}

/** Fields that a line on a terminal omits or shows in a fixed place. */
const PLACED = new Set(['level', 'time', 'msg', 'err', 'reqId']);

/** Turns the log's JSON lines into short ones for a terminal: time, level, message, the other fields. */
class TerminalLog implements DestinationStream {
  readonly #out: LogStream;

  constructor(out: LogStream) {
    this.#out = out;
  }

  write(line: string): void {
    this.#out.write(`${terminalLine(JSON.parse(line) as Record<string, unknown>)}\n`);
  }

  flush(done: () => void): void {
    this.#out.flush(done);
  }
}

export function terminalLine(entry: Record<string, unknown>): string {
  const fields = Object.entries(entry)
    .filter(([name]) => !PLACED.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const { stack } = (entry.err ?? {}) as { stack?: string };
  const head = [String(entry.time).slice(11, 19), String(entry.level).padEnd(5), entry.msg, ...fields].join(
    ' ',
  );
  return stack ? `${head}\n${stack}` : head;
}

/** Maximum bytes of lines waiting to be written; beyond that, lines are dropped. */
const MAX_WAITING = 4 * 1024 * 1024;
/** Maximum bytes per write. */
const MAX_BATCH = 256 * 1024;
/** Milliseconds until the next attempt if the reader is behind. */
const PAUSE = 50;
/** Maximum milliseconds that `flush` waits. */
const FLUSH_TIMEOUT = 1_000;

/**
 * Writes lines to a file descriptor, in order. Callers never wait and nothing is thrown: lines that cannot be written,
 * because the disk is full or the reader is gone or slow, are dropped, and a notice before the next line reports how
 * many.
 */
export class LogStream implements DestinationStream {
  readonly #fd: number;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #lost = 0;
  #running: Promise<void> | null = null;
  /** What is left of the lines that are being written, while the reader accepts nothing. */
  #unwritten: Buffer | null = null;

  constructor(fd: number) {
    this.#fd = withoutBlocking(fd);
  }

  write(line: string): void {
    if (this.#waitingBytes + line.length > MAX_WAITING) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    this.#running ??= this.#writeAll();
  }

  /** Calls back once everything is written or dropped, but no later than after `FLUSH_TIMEOUT`. */
  flush(done: () => void): void {
    const timer = setTimeout(done, FLUSH_TIMEOUT);
    (this.#running ?? Promise.resolve()).then(() => {
      clearTimeout(timer);
      done();
    });
  }

  async #writeAll(): Promise<void> {
    process.once('exit', this.#writeRest);
    // Lines of the same turn are written together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const lines = this.#nextBatch();
      const lost = this.#lost;
      const notice = lost > 0 ? [lossNotice(lost)] : [];
      try {
        await this.#writeBatch(Buffer.from([...notice, ...lines].join('')));
        this.#lost -= lost;
      } catch {
        this.#lost += lines.length;
      }
    }
    this.#running = null;
    process.off('exit', this.#writeRest);
  }

  #nextBatch(): string[] {
    let bytes = 0;
    let count = 0;
    for (const { length } of this.#waiting) {
      if (count > 0 && bytes + length > MAX_BATCH) break;
      bytes += length;
      count += 1;
    }
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  async #writeBatch(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const written = await this.#writeSome(bytes.subarray(at));
      if (written !== null) at += written;
      else {
        this.#unwritten = bytes.subarray(at);
        await pause();
        this.#unwritten = null;
      }
    }
  }

  /** Null if the reader accepts nothing at the moment. */
  #writeSome(bytes: Buffer): Promise<number | null> {
    return new Promise((resolve, reject) =>
      fs.write(this.#fd, bytes, (error, written) => {
        if (error && error.code !== 'EAGAIN') reject(error);
        else resolve(error ? null : written);
      }),
    );
  }

  /**
   * Writes what is left as the process exits, from the line on that was begun. If the reader is still behind, it is not
   * waited for.
   */
  readonly #writeRest = (): void => {
    const rest = Buffer.concat([this.#unwritten ?? Buffer.alloc(0), Buffer.from(this.#waiting.join(''))]);
    if (rest.length === 0) return;
    try {
      fs.writeSync(this.#fd, rest);
    } catch {
      // There is nowhere to report this.
    }
  };
}

function lossNotice(lost: number): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ level: 'warn', time, lost, msg: 'lines of this log could not be written and are lost' })}\n`;
}

/** Opens a pipe in non-blocking mode: a full one would block a thread for as long as nobody reads it. */
function withoutBlocking(fd: number): number {
  try {
    if (!fs.fstatSync(fd).isFIFO()) return fd;
    return fs.openSync(`/proc/self/fd/${fd}`, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK);
  } catch {
    return fd;
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE).unref());
}
