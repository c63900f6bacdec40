import { responseTooLongError } from './responses.ts';
import type { ResponseSink } from './transport.ts';

/** Collects the body of a response in memory; throws if it is longer than `limit` bytes. */
export class BodyCollector implements ResponseSink {
  readonly #limit: number;
  readonly #origin: string;
  readonly #pieces: Buffer[] = [];
  #size = 0;

  constructor(limit: number, origin: string) {
    this.#limit = limit;
    this.#origin = origin;
  }

  onHead(): void {}

  onBytes(bytes: Buffer): void {
    this.#size += bytes.length;
    if (this.#size > this.#limit) throw responseTooLongError(this.#origin, this.#limit);
    this.#pieces.push(Buffer.from(bytes));
  }

  bytes(): Buffer {
    return Buffer.concat(this.#pieces, this.#size);
  }
}
