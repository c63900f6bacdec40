import { styleText } from 'node:util';
import type { CommandError } from './command-error.ts';
import { renderTable, type Table } from './table.ts';
import { sanitizeLine, sanitizeLines } from './text.ts';

type Style = Parameters<typeof styleText>[0];

/** The streams of a terminal or a pipe; `columns` is undefined if there is no terminal. */
export interface Streams {
  stdout: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  stderr: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
}

export interface OutputOptions {
  json: boolean;
  quiet: boolean;
  /** Null: decided by the terminal and the environment. */
  color: boolean | null;
}

/** Returns the columns of a terminal, 80 if they are not known; null for a pipe or a file. */
export function widthOf(stream: { isTTY?: boolean; columns?: number }): number | null {
  return stream.isTTY ? stream.columns || 80 : null;
}

/** Prints the output of a command: data to stdout, everything else to stderr. */
export class Output {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly streams: Streams;
  readonly #color: boolean | null;

  constructor(streams: Streams, options: OutputOptions) {
    this.streams = streams;
    this.json = options.json;
    this.quiet = options.quiet;
    this.#color = options.color;
  }

  /** Whether a user watches stderr, so that progress can be drawn there. */
  get interactive(): boolean {
    return this.streams.stderr.isTTY === true && !this.json && !this.quiet;
  }

  /** One line of data. */
  line(text = ''): void {
    this.streams.stdout.write(`${text}\n`);
  }

  /** Bytes of data exactly as they are, followed by a newline on a terminal. */
  bytes(bytes: Uint8Array): void {
    this.streams.stdout.write(bytes);
    if (this.streams.stdout.isTTY) this.streams.stdout.write('\n');
  }

  value(value: unknown): void {
    this.line(JSON.stringify(value, null, 2));
  }

  /** Rows of data: aligned below headings on a terminal, without either in a pipe. */
  table(table: Table): void {
    const width = widthOf(this.streams.stdout);
    for (const line of renderTable(table, width)) this.line(line);
  }

  /** The facts of one thing, one per line; facts without a value are left out. */
  fields(facts: readonly (readonly [string, string])[]): void {
    const shown = facts.filter(([, value]) => value !== '');
    const width = Math.max(0, ...shown.map(([name]) => name.length));
    for (const [name, value] of shown) this.line(`${this.style('dim', name.padEnd(width))}  ${value}`);
  }

  /** What the user must see to continue, even with `--quiet` or `--json`. */
  prompt(text: string): void {
    this.streams.stderr.write(`${text}\n`);
  }

  /** A note for the user; suppressed by `--quiet` and `--json`. */
  note(text: string): void {
    if (!this.quiet && !this.json) this.streams.stderr.write(`${text}\n`);
  }

  /** Something that may need attention although the command continues. */
  warn(text: string): void {
    this.streams.stderr.write(`${this.style('yellow', 'Warning:', 'stderr')} ${text}\n`);
  }

  /** Reports why a command failed: two lines for people, one JSON object with `--json`. */
  failure(error: CommandError): void {
    const { stderr } = this.streams;
    if (this.json) {
      const { code, message, next, exitCode, details } = error;
      stderr.write(`${JSON.stringify({ error: code, message, next, exitCode, ...details })}\n`);
      return;
    }
    stderr.write(`${this.style('red', 'Error:', 'stderr')} ${sanitizeLines(error.message)}\n`);
    if (error.next) stderr.write(`${error.next}\n`);
    if (typeof error.details.requestId === 'string' && Number(error.details.status) >= 500) {
      stderr.write(`Request id: ${sanitizeLine(error.details.requestId)}\n`);
    }
  }

  style(style: Style, text: string, stream: 'stdout' | 'stderr' = 'stdout'): string {
    return this.#colored(stream) ? styleText(style, text, { validateStream: false }) : text;
  }

  #colored(stream: 'stdout' | 'stderr'): boolean {
    if (this.#color !== null) return this.#color;
    if (process.env.NO_COLOR) return false;
    if (process.env.FORCE_COLOR && process.env.FORCE_COLOR !== '0') return true;
    return this.streams[stream].isTTY === true && process.env.TERM !== 'dumb';
  }
}
