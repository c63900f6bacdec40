const WINDOW = 5_000;

/** Bytes per second over the last five seconds. */
export class Rate {
  readonly #clock: () => number;
  readonly #startedAt: number;
  #samples: { at: number; bytes: number }[] = [];

  constructor(clock: () => number) {
    this.#clock = clock;
    this.#startedAt = clock();
  }

  add(bytes: number): void {
    const at = this.#clock();
    const last = this.#samples.at(-1);
    if (last && at - last.at < 100) last.bytes += bytes;
    else this.#samples.push({ at, bytes });
  }

  perSecond(): number {
    const now = this.#clock();
    this.#samples = this.#samples.filter(({ at }) => now - at < WINDOW);
    const bytes = this.#samples.reduce((sum, sample) => sum + sample.bytes, 0);
    const span = Math.min(WINDOW, Math.max(now - this.#startedAt, 1));
    return (bytes * 1_000) / span;
  }
}
