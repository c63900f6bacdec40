/** When so many are on the list it is shortened. */
const CAPACITY = 2_048;

/** Of rows that cannot be told apart by their estimates so many are kept, the first. */
const MOST_KEPT = 1_024;

/**
 * Keeps, of rows that come in order with an estimate each, those that may be among the best so many: whose estimate is
 * at most `slack` below the so-manieth best.
 */
export class Shortlist {
  readonly #best: number;
  readonly #slack: number;
  readonly #estimates = new Float32Array(CAPACITY);
  readonly #rows = new Uint32Array(CAPACITY);
  #length = 0;
  #cutoff: number;

  /** Rows at or below `cutoff` are known not to be among the best. */
  constructor(best: number, { slack, cutoff }: { slack: number; cutoff: number }) {
    this.#best = best;
    this.#slack = slack;
    this.#cutoff = cutoff;
  }

  /** Rows with an estimate of this or less need not be added. */
  get cutoff(): number {
    return this.#cutoff;
  }

  add(estimate: number, row: number): void {
    if (estimate <= this.#cutoff) return;
    if (this.#length === CAPACITY) {
      this.#shorten();
      if (estimate <= this.#cutoff) return;
    }
    this.#estimates[this.#length] = estimate;
    this.#rows[this.#length] = row;
    this.#length++;
  }

  /** The rows that are left, in the order in which they came. */
  rows(): Uint32Array {
    this.#shorten();
    return this.#rows.slice(0, this.#length);
  }

  #shorten(): void {
    if (this.#length < this.#best) return;
    const ascending = this.#estimates.slice(0, this.#length).sort();
    const atRank = (rank: number) => ascending[this.#length - rank] ?? Number.NEGATIVE_INFINITY;
    const needed = Math.max(this.#cutoff, atRank(this.#best) - this.#slack);
    const affordable = atRank(MOST_KEPT);
    this.#keep(Math.max(needed, affordable));
  }

  /** Keeps what is above a bound, and what is at the bound as far as there is room. */
  #keep(bound: number): void {
    let room = MOST_KEPT;
    for (let at = 0; at < this.#length; at++) if ((this.#estimates[at] as number) > bound) room--;
    let kept = 0;
    for (let at = 0; at < this.#length; at++) {
      const estimate = this.#estimates[at] as number;
      if (estimate < bound || (estimate === bound && room-- <= 0)) continue;
      this.#estimates[kept] = estimate;
      this.#rows[kept] = this.#rows[at] as number;
      kept++;
    }
    this.#length = kept;
    this.#cutoff = bound;
  }
}
