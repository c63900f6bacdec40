/** Lets so many in at a time, the others in the order in which they came. */
export class Gate {
  #free: number;
  readonly #mostWaiting: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number, mostWaiting: number) {
    this.#free = places;
    this.#mostWaiting = mostWaiting;
  }

  /** Runs `work` inside; answers null at once where too many wait already. */
  async pass<Result>(work: () => Promise<Result>): Promise<Result | null> {
    if (this.#free > 0) this.#free--;
    else {
      if (this.#waiting.length >= this.#mostWaiting) return null;
      await new Promise<void>((enter) => this.#waiting.push(enter));
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
