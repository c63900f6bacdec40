import { MAX_ERROR_BYTES, requireSuccess } from './responses.ts';
import type { ResponseSink } from './transport.ts';

/** Passes on the body of a successful response, and keeps that of a failed one to read its error. */
export class DeliveredResponse implements ResponseSink {
  status = 0;
  headers: Readonly<Record<string, string>> = {};
  /** What the receiving sink threw. */
  sinkError: unknown;
  readonly #sink: ResponseSink;
  #kept: Buffer[] = [];
  #keptBytes = 0;

  constructor(sink: ResponseSink) {
    this.#sink = sink;
  }

  /** Whether the exchange was ended here because the body of a failure is longer than `MAX_ERROR_BYTES`. */
  get isTruncated(): boolean {
    return this.#keptBytes > MAX_ERROR_BYTES;
  }

  onHead(status: number, headers: Readonly<Record<string, string>>): void {
    this.status = status;
    this.headers = headers;
    if (this.#succeeded) this.#guarded(() => this.#sink.onHead(status, headers));
  }

  onBytes(bytes: Buffer): void {
    if (this.#succeeded) {
      this.#guarded(() => this.#sink.onBytes(bytes));
      return;
    }
    this.#keptBytes += bytes.length;
    if (this.isTruncated) throw new Error('the error response is too large');
    this.#kept.push(Buffer.from(bytes));
  }

  bufferFor(most: number): Buffer | undefined {
    return this.#succeeded ? this.#sink.bufferFor?.(most) : undefined;
  }

  /** Throws the error that a failed response describes. */
  async requireSuccess(origin: string): Promise<void> {
    if (this.#succeeded) return;
    const bytes = Buffer.concat(this.isTruncated ? [] : this.#kept);
    await requireSuccess({ status: this.status, headers: this.headers, bytes }, origin);
  }

  get #succeeded(): boolean {
    return this.status >= 200 && this.status < 300;
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
