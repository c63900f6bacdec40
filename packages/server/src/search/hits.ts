import type { DocumentSet } from './keyword/keyword-index.ts';

/** Hits that there is room for to begin with, and the most whose memory is kept for later searches. */
const [FIRST_ROOM, KEPT_ROOM] = [4_096, 1_048_576];

/** How many searches' memory is kept. */
const KEPT = 4;

interface Memory {
  documents: Uint32Array;
  keys: Uint16Array;
}

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
   * Takes the hits of the next index out of the keys of its documents, of which 0 is no hit; afterwards these are all 0.
   * Leaves out what the filter does; null leaves out nothing.
   */
  add(keysOfDocuments: Uint16Array, filter: DocumentSet | null): void {
    let end = this.#ends.at(-1) ?? 0;
    const { documents, keys } = this.#room(end + keysOfDocuments.length);
    const { counts } = this;
    for (let document = 0; document < keysOfDocuments.length; document++) {
      const key = keysOfDocuments[document] as number;
      if (key === 0) continue;
      keysOfDocuments[document] = 0;
      if (filter !== null && filter[document] === 0) continue;
      counts[key] = (counts[key] as number) + 1;
      documents[end] = document;
      keys[end++] = key;
    }
    this.#ends.push(end);
  }

  /** The documents that are hits in one index, ascending, and their keys; 0 are those that were removed. */
  of(target: number): Memory {
    const [start, end] = [this.#ends[target - 1] ?? 0, this.#ends[target]];
    const { documents, keys } = this.#memory;
    return { documents: documents.subarray(start, end), keys: keys.subarray(start, end) };
  }

  /** The key of a document; 0 where it is no hit. */
  keyOf(target: number, document: number): number {
    const { documents, keys } = this.of(target);
    const place = placeOf(documents, document);
    return place < 0 ? 0 : (keys[place] as number);
  }

  /** Takes a document out, if it is a hit. */
  remove(target: number, document: number): void {
    const { documents, keys } = this.of(target);
    const key = this.keyOf(target, document);
    if (key === 0) return;
    this.counts[key] = (this.counts[key] as number) - 1;
    keys[placeOf(documents, document)] = 0;
  }

  /** Ends the use of these hits: their memory goes to a later search. */
  release(): void {
    if (kept.length < KEPT && this.#memory.keys.length <= KEPT_ROOM) kept.push(this.#memory);
    this.#memory = memoryFor(0);
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

function memoryFor(length: number): Memory {
  return { documents: new Uint32Array(length), keys: new Uint16Array(length) };
}

/** The place of a number in an ascending list, or -1. */
function placeOf(ascending: Uint32Array, wanted: number): number {
  let start = 0;
  let end = ascending.length;
  while (start < end) {
    const middle = (start + end) >>> 1;
    if ((ascending[middle] as number) < wanted) start = middle + 1;
    else end = middle;
  }
  return ascending[start] === wanted ? start : -1;
}
