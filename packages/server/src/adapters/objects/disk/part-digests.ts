import { createHash, type Hash } from 'node:crypto';

/** Hashes a file part by part while it is read from the start. Sizes are in bytes. */
export class PartDigests {
  readonly #partSize: number;
  readonly #etags: string[] = [];
  readonly #size: number;
  #current: Hash = createHash('sha256');

  constructor({ partSize, size }: { partSize: number; size: number }) {
    this.#partSize = partSize;
    this.#size = size;
  }

  update(chunk: Buffer, position: number): void {
    const boundary = (this.#etags.length + 1) * this.#partSize;
    const rest = boundary - position;
    this.#current.update(chunk.subarray(0, rest));
    if (position + chunk.length >= boundary || position + chunk.length >= this.#size) {
      this.#etags.push(`"${this.#current.digest('hex')}"`);
      this.#current = createHash('sha256');
    }
    if (chunk.length > rest) this.update(chunk.subarray(rest), boundary);
  }

  etagOf(partNumber: number): string | undefined {
    return this.#etags[partNumber - 1];
  }
}
