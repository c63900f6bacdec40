import { unavailable } from '../errors.ts';

/** How many conversions can wait, and how many of those may have one claim in common. */
const MAX_WAITING = 16;
const MAX_WAITING_EACH = 4;

/** Seconds. */
const RETRY_AFTER = 10;

interface Waiting {
  claims: readonly string[];
  start(): void;
}

/**
 * Gives conversions their turns. Each is made with claims: whose library it is of, who asks. No claim has all workers, if
 * there are several, and each waits behind the others after its turn.
 */
export class ConversionTurns {
  readonly #mostEach: number;
  readonly #running = new Map<string, number>();
  #free: number;
  #waiting: Waiting[] = [];

  constructor(workers: number) {
    this.#free = workers;
    this.#mostEach = Math.max(1, workers - 1);
  }

  /** Runs the task when it is its turn. Throws `unavailable` if too many are waiting. */
  async run<Result>(claims: readonly string[], task: () => Promise<Result>): Promise<Result> {
    const waitFor = (claim: string) => this.#waiting.filter(({ claims }) => claims.includes(claim)).length;
    if (this.#waiting.length >= MAX_WAITING || claims.some((claim) => waitFor(claim) >= MAX_WAITING_EACH)) {
      throw unavailable('Too many assets are being converted. Try again.', RETRY_AFTER);
    }
    const turn = Promise.withResolvers<void>();
    this.#waiting.push({ claims, start: turn.resolve });
    this.#startNext();
    await turn.promise;
    try {
      return await task();
    } finally {
      this.#count(claims, -1);
      this.#startNext();
    }
  }

  #startNext(): void {
    if (this.#free === 0) return;
    const mayStart = (claim: string) => (this.#running.get(claim) ?? 0) < this.#mostEach;
    const next = this.#waiting.find(({ claims }) => claims.every(mayStart));
    if (next === undefined) return;
    const sharesClaim = ({ claims }: Waiting) => claims.some((claim) => next.claims.includes(claim));
    const others = this.#waiting.filter((one) => one !== next);
    this.#waiting = [...others.filter((one) => !sharesClaim(one)), ...others.filter(sharesClaim)];
    this.#count(next.claims, 1);
    next.start();
  }

  #count(claims: readonly string[], by: 1 | -1): void {
    this.#free -= by;
    for (const claim of claims) {
      const running = (this.#running.get(claim) ?? 0) + by;
      if (running > 0) this.#running.set(claim, running);
      else this.#running.delete(claim);
    }
  }
}
