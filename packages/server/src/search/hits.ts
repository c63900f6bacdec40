import type { DocumentSet } from '../revision/keywords/keyword-index.ts';

/** Initial capacity in hits. */
const FIRST_ROOM = 4_096;

/**
 * Total capacity, in hits of 6 bytes, of the memory that is kept for later searches: enough for two at a time that find
 * 2,500,000 assets each. Allocating new memory of this size makes V8 collect all garbage shortly after.
 */
const KEPT_ROOM = 10_000_000;

interface Memory {
  documents: Uint32Array;
  keys: Uint16Array;
}

/** Largest last. */
const kept: Memory[] = [];

/**
 * The hits of one search over several libraries: their documents, and for each a small integer key by which it is ranked.
 * Ordered by library, then by document.
 */
export class Hits {
  /** The number of hits with each key. */
  readonly counts: Uint32Array;
  /** Where the hits of each library start and end. */
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  #end = 0;
  #memory: Memory = kept.pop() ?? memoryFor(FIRST_ROOM);

  constructor(highestKey: number) {
    this.counts = new Uint32Array(highestKey + 1);
  }

  /** How many libraries have been added. */
  get targets(): number {
    return this.#ends.length;
  }

  /**
   * Adds the hits of a library from the keys of its documents, where 0 means no hit. Leaves out documents that the filter
   * excludes; null excludes none. Libraries are added in any order.
   */
  add(target: number, keysOfDocuments: Uint16Array, filter: DocumentSet | null): void {
    let end = this.#end;
    this.#starts[target] = end;
    const { documents, keys } = this.#room(end + keysOfDocuments.length);
    const { counts } = this;
    for (let document = 0; document < keysOfDocuments.length; document++) {
      const key = keysOfDocuments[document] as number;
      if (key === 0 || (filter !== null && filter[document] === 0)) continue;
      counts[key] = (counts[key] as number) + 1;
      documents[end] = document;
      keys[end++] = key;
    }
    this.#ends[target] = end;
    this.#end = end;
  }

  /** Returns the documents that are hits in one library, ascending, and their keys: 0 for those removed by `remove`. */
  of(target: number): Memory {
    const { start, end } = this.#range(target);
    const { documents, keys } = this.#memory;
    return { documents: documents.subarray(start, end), keys: keys.subarray(start, end) };
  }

  /** Removes a document and returns its key; 0 if it is not a hit. */
  remove(target: number, document: number): number {
    const { documents, keys } = this.#memory;
    const place = placeOf(documents, this.#range(target), document);
    const key = place < 0 ? 0 : (keys[place] as number);
    if (key === 0) return 0;
    this.counts[key] = (this.counts[key] as number) - 1;
    keys[place] = 0;
    return key;
  }

  /** Releases these hits, so that a later search can reuse their memory. */
  release(): void {
    keep(this.#memory);
    this.#memory = memoryFor(0);
  }

  #range(target: number): { start: number; end: number } {
    return { start: this.#starts[target] ?? 0, end: this.#ends[target] ?? 0 };
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

/** Keeps memory for later searches; if there is not room for all of it, the largest. */
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

/** Returns the position of a number in an ascending range of a list, or -1. */
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

/** How many arrays are kept for later searches. */
const KEPT = 16;

interface Numbers {
  readonly length: number;
  readonly buffer: ArrayBufferLike;
  fill(value: number): this;
  subarray(start: number, end: number): this;
}

/**
 * Lends zeroed arrays to searches, so that a search does not start by allocating. An array that is not returned is
 * garbage-collected.
 */
export class ScratchPool<Lent extends Numbers> {
  readonly #Kind: new (
    source: number | ArrayBufferLike,
  ) => Lent;
  readonly #free: Lent[] = [];

  /** @param Kind such as `Uint16Array` */
  constructor(Kind: new (source: number | ArrayBufferLike) => Lent) {
    this.#Kind = Kind;
  }

  /** Returns an array of exactly `length` elements, all zero. */
  borrow(length: number): Lent {
    // The array returned last is the likeliest to be in the CPU cache.
    const at = this.#free.findLastIndex((array) => array.length >= length);
    const [found] = at < 0 ? [] : this.#free.splice(at, 1);
    return found ? found.subarray(0, length).fill(0) : new this.#Kind(length);
  }

  giveBack(array: Lent): void {
    if (this.#free.length < KEPT) this.#free.push(new this.#Kind(array.buffer));
  }
}
