import type { DocumentSet } from '../revision/keywords/keyword-index.ts';

/** Initial capacity in hits. */
const FIRST_ROOM = 4_096;

/**
 * Capacity, in hits of 6 bytes, of all memory that is kept for later searches: enough for two at a time that find 2,500,000
 * assets each. New memory of this size has V8 collect all garbage a moment later.
 */
const KEPT_ROOM = 10_000_000;

interface Memory {
  documents: Uint32Array;
  keys: Uint16Array;
}

/** The largest last. */
const kept: Memory[] = [];

/**
 * The hits of one search among several indexes: which documents, and a small whole-number key of each, by which they are
 * ranked. They stand in the order of the indexes, then of the documents.
 */
export class Hits {
  /** How many hits have a key, by key. */
  readonly counts: Uint32Array;
  /** Where the hits of each index end. */
  readonly #ends: number[] = [];
  #memory: Memory = kept.pop() ?? memoryFor(FIRST_ROOM);

  constructor(highestKey: number) {
    this.counts = new Uint32Array(highestKey + 1);
  }

  /** How many indexes have been added. */
  get targets(): number {
    return this.#ends.length;
  }

  /**
   * Takes the hits of the next index out of the keys of its documents, of which 0 is no hit. Leaves out what the filter
   * does; null leaves out nothing.
   */
  add(keysOfDocuments: Uint16Array, filter: DocumentSet | null): void {
    let end = this.#ends.at(-1) ?? 0;
    const { documents, keys } = this.#room(end + keysOfDocuments.length);
    const { counts } = this;
    for (let document = 0; document < keysOfDocuments.length; document++) {
      const key = keysOfDocuments[document] as number;
      if (key === 0 || (filter !== null && filter[document] === 0)) continue;
      counts[key] = (counts[key] as number) + 1;
      documents[end] = document;
      keys[end++] = key;
    }
    this.#ends.push(end);
  }

  /** The documents that are hits in one index, ascending, and their keys; 0 are those that were taken out. */
  of(target: number): Memory {
    const { start, end } = this.#range(target);
    const { documents, keys } = this.#memory;
    return { documents: documents.subarray(start, end), keys: keys.subarray(start, end) };
  }

  /** Takes a document out and returns its key; 0 where it is no hit. */
  take(target: number, document: number): number {
    const { documents, keys } = this.#memory;
    const place = placeOf(documents, this.#range(target), document);
    const key = place < 0 ? 0 : (keys[place] as number);
    if (key === 0) return 0;
    this.counts[key] = (this.counts[key] as number) - 1;
    keys[place] = 0;
    return key;
  }

  /** Releases these hits: their memory goes to a later search. */
  release(): void {
    keep(this.#memory);
    this.#memory = memoryFor(0);
  }

  #range(target: number): { start: number; end: number } {
    return { start: this.#ends[target - 1] ?? 0, end: this.#ends[target] ?? 0 };
  }

  #room(length: number): Memory {
    const { documents, keys } = this.#memory;
    if (length <= keys.length) return this.#memory;
    this.#memory = memoryFor(Math.max(length, 2 * keys.length));
    this.#memory.documents.set(documents);
    this.#memory.keys.set(keys);
    return this.#memory;
  }
}

/** Keeps memory; where there is not room for all, the largest. */
function keep(memory: Memory): void {
  if (memory.keys.length > KEPT_ROOM) return;
  kept.push(memory);
  kept.sort((a, b) => a.keys.length - b.keys.length);
  let room = kept.reduce((sum, { keys }) => sum + keys.length, 0);
  while (room > KEPT_ROOM) room -= kept.shift()?.keys.length ?? 0;
}

function memoryFor(length: number): Memory {
  return { documents: new Uint32Array(length), keys: new Uint16Array(length) };
}

/** The place of a number in a range of a list that ascends there, or -1. */
function placeOf(
  ascending: Uint32Array,
  { start, end }: { start: number; end: number },
  wanted: number,
): number {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low < end && ascending[low] === wanted ? low : -1;
}
