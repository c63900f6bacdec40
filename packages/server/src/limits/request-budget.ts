import type { Clock } from '../context.ts';

/** Maximum number of callers counted in one window; further ones share a budget. */
const MAX_CALLERS = 100_000;
const OTHERS = '(others)';
const WINDOW = 60_000;

/** What a caller has left in the current minute; `reset` is the seconds until the next one. */
export interface Budget {
  granted: boolean;
  limit: number;
  remaining: number;
  reset: number;
}

/** Counts requests per caller and minute, in this process. */
export class RequestBudget {
  readonly #limit: number;
  readonly #clock: Clock;
  readonly #counts = new Map<string, number>();
  #window = 0;

  constructor(limit: number, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Whether this caller was seen in the current minute. */
  knows(caller: string): boolean {
    this.#turn();
    return this.#counts.has(caller);
  }

  take(caller: string): Budget {
    this.#turn();
    const key = this.#counts.has(caller) || this.#counts.size < MAX_CALLERS ? caller : OTHERS;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return {
      granted: count <= this.#limit,
      limit: this.#limit,
      remaining: Math.max(0, this.#limit - count),
      reset: Math.ceil((WINDOW - (this.#clock() % WINDOW)) / 1_000),
    };
  }

  #turn(): void {
    const window = Math.floor(this.#clock() / WINDOW);
    if (window === this.#window) return;
    this.#window = window;
    this.#counts.clear();
  }
}
