import { type Sections, sectionOf } from './sections.ts';

/** Positions are below this; the rest of a key is the start of the hash. */
const PLACE_RANGE = 2 ** 21;

/**
 * Finds files by content: the first 32 bits of every hash, ascending, with the file's position in the closure.
 * Different hashes can share a prefix, so readers compare them in full.
 */
export class ContentTable {
  readonly #prefixes: Uint32Array;
  readonly #places: Uint32Array;

  constructor(sections: Sections) {
    this.#prefixes = sectionOf(sections, 'contents.prefixes', 'Uint32Array');
    this.#places = sectionOf(sections, 'contents.places', 'Uint32Array');
  }

  /** Returns the positions of files whose hash starts with these 32 bits. */
  placesOf(prefix: number): Uint32Array {
    const start = this.#firstFrom(prefix);
    let end = start;
    while (this.#prefixes[end] === prefix) end++;
    return this.#places.subarray(start, end);
  }

  #firstFrom(prefix: number): number {
    let low = 0;
    let high = this.#prefixes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#prefixes[middle] as number) < prefix) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Returns the sections of the table, given the first 32 bits of each hash in the order of the closure. */
export function encodeContentTable(prefixes: Uint32Array): Sections {
  if (prefixes.length > PLACE_RANGE) throw new Error('The table has no room for that many files.');
  // Prefix and position in one 53-bit number sort natively, without a comparison function.
  const keys = Float64Array.from(prefixes, (prefix, place) => prefix * PLACE_RANGE + place).sort();
  return {
    'contents.prefixes': Uint32Array.from(keys, (key) => Math.floor(key / PLACE_RANGE)),
    'contents.places': Uint32Array.from(keys, (key) => key % PLACE_RANGE),
  };
}
