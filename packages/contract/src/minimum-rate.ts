/** Minimum average rate of a transfer, enforced at both ends, in bytes per second. */
export const MIN_TRANSFER_RATE = 1_024;

/**
 * Checks that a transfer keeps a minimum average rate: one that stalls is too slow after `window` milliseconds, and
 * every byte that moves extends this by the time it takes at `rate` bytes per second, up to a whole window. `now` is
 * milliseconds of any monotonic clock.
 */
export class MinimumRate {
  readonly #rate: number;
  readonly #window: number;
  /** When the transfer becomes too slow unless bytes move before. */
  #deadline: number;

  constructor({ rate, window }: { rate: number; window: number }, now: number) {
    this.#rate = rate;
    this.#window = window;
    this.#deadline = now + window;
  }

  record(bytes: number, now: number): void {
    this.#deadline = Math.min(now + this.#window, this.#deadline + (bytes * 1_000) / this.#rate);
  }

  /** Starts the window again, because the delay was not caused by the other end. */
  restart(now: number): void {
    this.#deadline = now + this.#window;
  }

  /** Milliseconds until the transfer is too slow; zero or negative if it is. */
  remaining(now: number): number {
    return this.#deadline - now;
  }
}
