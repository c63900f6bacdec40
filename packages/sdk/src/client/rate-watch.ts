import { Pace } from '@bindery/contract/wire';

export interface LeastRate {
  /** Bytes a second, on average. */
  rate: number;
  /** Milliseconds for which the average is taken, of what is sent and of what comes. */
  sending: number;
  receiving: number;
}

/** Milliseconds between the first look at an exchange that seems too slow and the one that decides, if this process stood still. */
const SECOND_LOOK = 1_000;

/** Looks at an exchange when it would be too slow. What its reader holds up is not slow. */
export class RateWatch {
  readonly #pace: Pace;
  readonly #exchange: { isPaused(): boolean; onSlow(): void };
  #seemedSlow = false;
  #timer: NodeJS.Timeout;

  constructor(rate: number, window: number, exchange: { isPaused(): boolean; onSlow(): void }) {
    this.#pace = new Pace({ rate, window }, performance.now());
    this.#exchange = exchange;
    this.#timer = setTimeout(() => this.#look(), window);
  }

  moved(bytes: number): void {
    this.#pace.moved(bytes, performance.now());
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    if (this.#exchange.isPaused()) this.#pace.restart(now);
    const left = this.#pace.left(now);
    if (left <= 0 && this.#seemedSlow) {
      this.#exchange.onSlow();
      return;
    }
    this.#seemedSlow = left <= 0;
    this.#timer = setTimeout(() => this.#look(), this.#seemedSlow ? SECOND_LOOK : left);
  }
}
