import { MinimumRate } from '@bindery/contract/wire';

export interface MinimumTransferRate {
  /** Average bytes per second. */
  rate: number;
  /** Milliseconds over which the average is taken, of request and of response bodies. */
  sendWindow: number;
  receiveWindow: number;
}

/** Milliseconds between finding an exchange too slow and ending it, in case only this process had stalled. */
const RECHECK_AFTER = 1_000;

/** Checks an exchange whenever it could have become too slow. Delays caused by its own reader do not count. */
export class RateMonitor {
  readonly #pace: MinimumRate;
  readonly #exchange: { isPaused(): boolean; onSlow(): void };
  #seemedSlow = false;
  #timer: NodeJS.Timeout;

  constructor(rate: number, window: number, exchange: { isPaused(): boolean; onSlow(): void }) {
    this.#pace = new MinimumRate({ rate, window }, performance.now());
    this.#exchange = exchange;
    this.#timer = setTimeout(() => this.#check(), window);
  }

  record(bytes: number): void {
    this.#pace.record(bytes, performance.now());
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #check(): void {
    const now = performance.now();
    if (this.#exchange.isPaused()) this.#pace.restart(now);
    const left = this.#pace.remaining(now);
    if (left <= 0 && this.#seemedSlow) {
      this.#exchange.onSlow();
      return;
    }
    this.#seemedSlow = left <= 0;
    this.#timer = setTimeout(() => this.#check(), this.#seemedSlow ? RECHECK_AFTER : left);
  }
}
