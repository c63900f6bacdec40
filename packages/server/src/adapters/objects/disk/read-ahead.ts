/** Bytes that a response can always read, however much others hold, so that slow clients cannot block fast ones. */
const LEAST_PIECE = 16 * 1024;

/** Maximum number of bytes of a response that are read at a time. */
const LARGEST_PIECE = 256 * 1024;

/** Buffers for smaller pieces are not worth reusing. */
const WORTH_KEEPING = 64 * 1024;

/** Maximum number of buffers kept for reuse: as many as are in use at a time if clients are fast. */
const MAX_KEPT = 32;

/**
 * The memory for data that responses have read and their clients have not yet received. Buffers are reused: allocating
 * new ones for all bytes sent would keep the garbage collector busy.
 */
export class ReadAhead {
  readonly #kept: Buffer[] = [];
  #free: number;

  constructor(bytes: number) {
    this.#free = bytes;
  }

  /** Returns a buffer for the next of `wanted` bytes, as large as can be read now. Return it with `giveBack`. */
  take(wanted: number): Buffer {
    const size = Math.min(wanted, LARGEST_PIECE, Math.max(this.#free, LEAST_PIECE));
    this.#free -= size;
    if (size < WORTH_KEEPING) return Buffer.allocUnsafe(size);
    const whole = this.#kept.pop() ?? Buffer.allocUnsafeSlow(LARGEST_PIECE);
    return whole.subarray(0, size);
  }

  /** @param untouched whether nothing reads from the buffer any longer */
  giveBack(buffer: Buffer, untouched: boolean): void {
    this.#free += buffer.length;
    const keep = untouched && buffer.length >= WORTH_KEEPING && this.#kept.length < MAX_KEPT;
    if (keep) this.#kept.push(Buffer.from(buffer.buffer));
  }
}
