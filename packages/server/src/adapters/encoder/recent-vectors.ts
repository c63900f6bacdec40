/** Vectors of the texts asked for last; the one that was not asked for longest goes first. */
export class RecentVectors {
  readonly #capacity: number;
  readonly #vectors = new Map<string, Float32Array>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(text: string): Float32Array | undefined {
    const vector = this.#vectors.get(text);
    if (vector) this.set(text, vector);
    return vector;
  }

  set(text: string, vector: Float32Array): void {
    this.#vectors.delete(text);
    this.#vectors.set(text, vector);
    if (this.#vectors.size <= this.#capacity) return;
    const [oldest] = this.#vectors.keys();
    if (oldest !== undefined) this.#vectors.delete(oldest);
  }
}
