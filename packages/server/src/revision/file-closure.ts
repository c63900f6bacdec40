import { type Sections, sectionOf } from './sections.ts';
import { encodeTextColumn, TextColumn } from './text-column.ts';

/** A file of the closure. `platform`: whether it is a platform artifact, not a user file. */
export interface ClosureFile {
  path: string;
  size: number;
  sha256: string;
  platform: boolean;
}

/** Hashes and sizes of many contents, in the same order. */
export interface Contents {
  /** 32 bytes each. */
  hashes: Uint8Array;
  sizes: Float64Array;
}

export const HASH_BYTES = 32;

/** How many files are compared at once. */
const BLOCK = 500;

/** Every file of a revision except its manifest, once, sorted by the UTF-8 bytes of its path. */
export class FileClosure {
  readonly paths: TextColumn;
  readonly #sizes: Float64Array;
  readonly #hashes: Buffer;
  readonly #platform: Uint8Array;
  readonly #contents: ContentTable;

  constructor(sections: Sections) {
    this.paths = new TextColumn(sections, 'files.paths');
    this.#sizes = sectionOf(sections, 'files.sizes', 'Float64Array');
    this.#platform = sectionOf(sections, 'files.platform', 'Uint8Array');
    const hashes = sectionOf(sections, 'files.hashes', 'Uint8Array');
    this.#hashes = Buffer.from(hashes.buffer as ArrayBuffer, hashes.byteOffset, hashes.byteLength);
    this.#contents = new ContentTable(sections);
  }

  get count(): number {
    return this.paths.length;
  }

  at(index: number): ClosureFile {
    return {
      path: this.paths.at(index),
      size: this.size(index),
      sha256: this.sha256(index),
      platform: this.isPlatform(index),
    };
  }

  /** Returns the file at a path, or null. */
  find(path: string): ClosureFile | null {
    const index = this.paths.indexOf(path);
    return index < 0 ? null : this.at(index);
  }

  isPlatform(index: number): boolean {
    return this.#platform[index] === 1;
  }

  size(index: number): number {
    return this.#sizes[index] ?? 0;
  }

  sha256(index: number): string {
    return this.#hash(index).toString('hex');
  }

  /** Hash and size of every file, at its position. */
  get contents(): Contents {
    return { hashes: this.#hashes, sizes: this.#sizes };
  }

  /** Returns the size of the content with this hash, or null if no file has it. */
  sizeOfContent(sha256: string): number | null {
    return this.#sizeOf(Buffer.from(sha256, 'hex'));
  }

  /** Whether any file has the same hash and size as a file of another closure. */
  holdsContentOf(other: FileClosure, otherIndex: number): boolean {
    return this.#sizeOf(other.#hash(otherIndex)) === other.size(otherIndex);
  }

  /** Whether no file before this one has the same hash. */
  isFirstOfContent(index: number): boolean {
    const hash = this.#hash(index);
    const [first] = this.#contents
      .placesOf(hash.readUInt32BE())
      .filter((place) => this.#hash(place).equals(hash));
    return first === index;
  }

  hasSameContent(index: number, other: FileClosure, otherIndex: number): boolean {
    return this.size(index) === other.size(otherIndex) && this.#hash(index).equals(other.#hash(otherIndex));
  }

  /**
   * Returns the positions of those files of another closure whose content (hash and size) this one lacks. Both are sorted
   * by path, so files that are in both are skipped without a search, many at a time.
   */
  placesOfNewContent(other: FileClosure): Uint32Array<ArrayBuffer> {
    const added: number[] = [];
    let at = 0;
    for (let place = 0; place < other.count; place++) {
      if (this.#hasSameBlock(at, other, place)) {
        at += BLOCK;
        place += BLOCK - 1;
        continue;
      }
      while (at < this.count && this.paths.compare(at, other.paths, place) < 0) at++;
      const stayed = at < this.count && other.hasSameContent(place, this, at);
      if (!stayed && !this.holdsContentOf(other, place)) added.push(place);
    }
    return Uint32Array.from(added);
  }

  /** Whether the contents of `BLOCK` files from two positions on are the same, in the same order. */
  #hasSameBlock(index: number, other: FileClosure, otherIndex: number): boolean {
    if (index + BLOCK > this.count || otherIndex + BLOCK > other.count) return false;
    const [start, otherStart] = [index * HASH_BYTES, otherIndex * HASH_BYTES];
    const [end, otherEnd] = [start + BLOCK * HASH_BYTES, otherStart + BLOCK * HASH_BYTES];
    if (this.#hashes.compare(other.#hashes, otherStart, otherEnd, start, end) !== 0) return false;
    for (let at = 0; at < BLOCK; at++)
      if (this.#sizes[index + at] !== other.#sizes[otherIndex + at]) return false;
    return true;
  }

  #sizeOf(hash: Buffer): number | null {
    for (const place of this.#contents.placesOf(hash.readUInt32BE())) {
      if (this.#hash(place).equals(hash)) return this.size(place);
    }
    return null;
  }

  #hash(index: number): Buffer {
    return this.#hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES);
  }
}

/** Returns the sections of a closure, given its files sorted by path. */
export function encodeFileClosure(
  files: readonly Omit<ClosureFile, 'platform'>[],
  isPlatform: (place: number) => boolean,
): Sections {
  const sizes = new Float64Array(files.length);
  const platform = new Uint8Array(files.length);
  const hashes = Buffer.allocUnsafeSlow(files.length * HASH_BYTES);
  files.forEach((file, at) => {
    sizes[at] = file.size;
    platform[at] = isPlatform(at) ? 1 : 0;
    hashes.write(file.sha256, at * HASH_BYTES, 'hex');
  });
  const paths = files.map((file) => file.path);
  return {
    ...encodeTextColumn('files.paths', paths),
    'files.sizes': sizes,
    'files.platform': platform,
    'files.hashes': hashes,
    ...encodeContentTable(hashes),
  };
}

/** Positions are below this; the rest of a key is the start of the hash. */
const PLACE_RANGE = 2 ** 21;

/**
 * Finds files by content: the first 32 bits of every hash, ascending, with the file's position in the closure.
 * Different hashes can share a prefix, so readers compare them in full.
 */
class ContentTable {
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

/** Returns the sections of the table, given the hashes in the order of the closure. */
export function encodeContentTable(hashes: Uint8Array): Sections {
  const count = hashes.length / HASH_BYTES;
  if (count > PLACE_RANGE) throw new Error('The table has no room for that many files.');
  const prefixes = new DataView(hashes.buffer, hashes.byteOffset, hashes.byteLength);
  // Prefix and position in one 53-bit number sort natively, without a comparison function.
  const keys = new Float64Array(count);
  for (let place = 0; place < count; place++)
    keys[place] = prefixes.getUint32(place * HASH_BYTES) * PLACE_RANGE + place;
  keys.sort();
  return {
    'contents.prefixes': Uint32Array.from(keys, (key) => Math.floor(key / PLACE_RANGE)),
    'contents.places': Uint32Array.from(keys, (key) => key % PLACE_RANGE),
  };
}
