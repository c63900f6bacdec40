import { type Sections, sectionOf } from './sections.ts';

/** How many bits of a number say which file it is; the rest is the start of its hash. */
const PLACE_RANGE = 2 ** 21;

/**
 * Finds files by what they hold: the first 32 bits of every hash, ascending, with the place of the file in the
 * closure. Two hashes may begin alike; the reader compares them whole.
 */
export class ContentTable {
  readonly #prefixes: Uint32Array;
  readonly #places: Uint32Array;

  constructor(sections: Sections) {
    this.#prefixes = sectionOf(sections, 'contents.prefixes', 'Uint32Array');
    this.#places = sectionOf(sections, 'contents.places', 'Uint32Array');
  }

  /** The places of files whose hash begins with these 32 bits. */
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

/** The sections of the table, from the first 32 bits of each hash in the order of the closure. */
export function encodeContentTable(prefixes: Uint32Array): Sections {
  if (prefixes.length > PLACE_RANGE) throw new Error('There are more files than the table has room for.');
  // Prefix and place in one number of 53 bits sort natively, without a comparison function.
  const keys = Float64Array.from(prefixes, (prefix, place) => prefix * PLACE_RANGE + place).sort();
  return {
    'contents.prefixes': Uint32Array.from(keys, (key) => Math.floor(key / PLACE_RANGE)),
    'contents.places': Uint32Array.from(keys, (key) => key % PLACE_RANGE),
  };
}
