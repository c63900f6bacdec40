/** The least average rate of a transfer, at both ends, in bytes a second. */
export const MIN_TRANSFER_RATE = 1_024;

/**
 * Tells whether a transfer keeps a least average rate: one that stands still is too slow after `window` milliseconds,
 * and every byte that moves gives it as much more time as `rate` bytes a second would take for it, up to a whole window.
 * `now` is milliseconds of any clock that is never set back.
 */
export class Pace {
  readonly #rate: number;
  readonly #window: number;
  /** When the transfer is too slow unless something moves before. */
  #deadline: number;

  constructor({ rate, window }: { rate: number; window: number }, now: number) {
    this.#rate = rate;
    this.#window = window;
    this.#deadline = now + window;
  }

  moved(bytes: number, now: number): void {
    this.#deadline = Math.min(now + this.#window, this.#deadline + (bytes * 1_000) / this.#rate);
  }

  /** Begins anew, because it was not the other end that was waited for. */
  restart(now: number): void {
    this.#deadline = now + this.#window;
  }

  /** Milliseconds until the transfer is too slow; none or less where it is. */
  left(now: number): number {
    return this.#deadline - now;
  }
}
