/** A growing list of 32-bit unsigned integers, for builds whose size is not known in advance. */
export class GrowingUint32Array {
  #values = new Uint32Array(1_024);
  #length = 0;

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Uint32Array(this.#length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length++] = value;
  }

  at(place: number): number {
    return this.#values[place] as number;
  }

  setBits(place: number, bits: number): void {
    this.#values[place] = (this.#values[place] as number) | bits;
  }

  get length(): number {
    return this.#length;
  }

  /** Returns what was pushed, as a view that shares its memory with the list. */
  toArray(): Uint32Array {
    return this.#values.subarray(0, this.#length);
  }
}
