import type { Lists } from '../list-column.ts';

/** Collects numbers under keys, and returns them as one list per key. */
export class Occurrences {
  readonly #numberOf = new Map<string, number>();
  readonly #keys = new GrowingUint32Array();
  readonly #values = new GrowingUint32Array();
  /** The position of the latest value of each key that was added by `addBitsTo`. */
  readonly #latest: number[] = [];

  add(key: string, value: number): void {
    this.addTo(this.numberOf(key), value);
  }

  /** Returns the number of a key; adding values by number is faster. */
  numberOf(key: string): number {
    let number = this.#numberOf.get(key);
    if (number === undefined) {
      number = this.#numberOf.size;
      this.#numberOf.set(key, number);
    }
    return number;
  }

  addTo(number: number, value: number): void {
    this.#keys.push(number);
    this.#values.push(value);
  }

  /**
   * Adds a value. If it equals the latest value of the key apart from the lowest `bits` bits, merges it into that value
   * by setting its bits there.
   */
  addBitsTo(number: number, value: number, bits: number): void {
    const latest = this.#latest[number];
    if (latest !== undefined && this.#values.at(latest) >>> bits === value >>> bits) {
      this.#values.setBits(latest, value);
      return;
    }
    this.#latest[number] = this.#values.length;
    this.addTo(number, value);
  }

  keys(): Iterable<string> {
    return this.#numberOf.keys();
  }

  /** Returns one list per key, in the given order of all keys; within a list, the values are in the order of `add`. */
  inOrder(keys: readonly string[]): Lists {
    const rankOf = new Uint32Array(keys.length);
    keys.forEach((key, rank) => {
      rankOf[this.#numberOf.get(key) as number] = rank;
    });
    return countingSort(
      this.#keys.toArray().map((number) => rankOf[number] as number),
      this.#values.toArray(),
      keys.length,
    );
  }
}

/** Sorts values by their ranks; stable. */
function countingSort(ranks: Uint32Array, values: Uint32Array, rankCount: number): Lists {
  const starts = new Uint32Array(rankCount + 1);
  for (const rank of ranks) starts[rank + 1] = (starts[rank + 1] as number) + 1;
  for (let rank = 0; rank < rankCount; rank++) {
    starts[rank + 1] = (starts[rank + 1] as number) + (starts[rank] as number);
  }
  const next = starts.slice();
  const sorted = new Uint32Array(values.length);
  for (let at = 0; at < values.length; at++) {
    const rank = ranks[at] as number;
    const place = next[rank] as number;
    sorted[place] = values[at] as number;
    next[rank] = place + 1;
  }
  return { values: sorted, starts };
}

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
