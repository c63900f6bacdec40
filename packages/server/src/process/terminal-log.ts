import type { DestinationStream } from 'pino';
import type { LogStream } from './log-stream.ts';

/** Fields that a line on a terminal omits or shows in a fixed place. */
const PLACED = new Set(['level', 'time', 'msg', 'err', 'reqId']);

/** Turns the log's JSON lines into short ones for a terminal: time, level, message, the other fields. */
export class TerminalLog implements DestinationStream {
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
