import { Readable } from 'node:stream';
import { refuseFailure } from './answers.ts';
import type { AnswerSink } from './transport.ts';

const FAILURE_BYTES = 256 * 1024;

/** Passes the bytes of a success on, and keeps those of a failure to tell what it says. */
export class DeliveredAnswer implements AnswerSink {
  headers: Readonly<Record<string, string>> = {};
  /** What the receiving sink threw. */
  sinkError: unknown;
  readonly #sink: AnswerSink;
  #status = 0;
  #kept: Buffer[] = [];
  #keptBytes = 0;

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  onHead(status: number, headers: Readonly<Record<string, string>>): void {
    this.#status = status;
    this.headers = headers;
    if (this.#succeeded) this.#guarded(() => this.#sink.onHead(status, headers));
  }

  onBytes(bytes: Buffer): void {
    if (this.#succeeded) this.#guarded(() => this.#sink.onBytes(bytes));
    else if (this.#keptBytes < FAILURE_BYTES) {
      this.#kept.push(Buffer.from(bytes));
      this.#keptBytes += bytes.length;
    }
  }

  async refuseFailure(origin: string): Promise<void> {
    if (this.#succeeded) return;
    const body = Object.assign(Readable.from(this.#kept), { dump: async () => {} });
    await refuseFailure({ status: this.#status, headers: this.headers, body }, origin);
  }

  get #succeeded(): boolean {
    return this.#status >= 200 && this.#status < 300;
  }

  #guarded(pass: () => void): void {
    try {
      pass();
    } catch (error) {
      this.sinkError ??= error;
      throw error;
    }
  }
}
