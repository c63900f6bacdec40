import { type Sections, sectionOf } from './sections.ts';

/**
 * A list of texts in two sections: their concatenated UTF-8 bytes, and the start of each, followed by the end.
 */
export class TextColumn {
  readonly #bytes: Buffer;
  readonly #starts: Uint32Array;

  constructor(sections: Sections, name: string) {
    const bytes = sectionOf(sections, `${name}.bytes`, 'Uint8Array');
    this.#bytes = Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
    this.#starts = sectionOf(sections, `${name}.starts`, 'Uint32Array');
  }

  get length(): number {
    return this.#starts.length - 1;
  }

  at(index: number): string {
    return this.#bytes.toString('utf8', this.#starts[index], this.#starts[index + 1]);
  }

  /** The length of a text in bytes. */
  byteLength(index: number): number {
    return (this.#starts[index + 1] as number) - (this.#starts[index] as number);
  }

  equals(other: TextColumn): boolean {
    return (
      this.length === other.length &&
      this.#starts.every((start, at) => start === other.#starts[at]) &&
      this.#bytes.equals(other.#bytes)
    );
  }

  /** Returns the position of a text in a column sorted by UTF-8 bytes, or -1. */
  indexOf(text: string): number {
    const wanted = Buffer.from(text);
    const first = this.#firstWhere(0, this.length, (index) => this.#compareStart(index, wanted) >= 0);
    return first < this.length && this.#is(first, wanted) ? first : -1;
  }

  /** Whether the text at a place equals `text`. */
  is(index: number, text: string): boolean {
    return this.#is(index, Buffer.from(text));
  }

  /**
   * Returns the places, from `first` up to, not including, `end`, whose texts begin with `prefix`, in a column sorted
   * by UTF-8 bytes; `exact`: whether the first of them is the prefix itself.
   */
  startingWith(prefix: string): { first: number; end: number; exact: boolean } {
    const wanted = Buffer.from(prefix);
    const first = this.#firstWhere(0, this.length, (index) => this.#compareStart(index, wanted) >= 0);
    const isBehind = (index: number) => this.#compareStart(index, wanted) > 0;
    // Most prefixes match few texts, so the end is near.
    let step = 1;
    while (first + step < this.length && !isBehind(first + step)) step *= 2;
    const end = this.#firstWhere(first, Math.min(this.length, first + step), isBehind);
    return { first, end, exact: first < end && this.byteLength(first) === wanted.length };
  }

  /** Compares a text of this column with a text of another column by UTF-8 bytes. */
  compare(index: number, other: TextColumn, otherIndex: number): number {
    return this.#bytes.compare(
      other.#bytes,
      other.#starts[otherIndex],
      other.#starts[otherIndex + 1],
      this.#starts[index],
      this.#starts[index + 1],
    );
  }

  /** Binary search between two positions for the first at which a monotonic condition holds. */
  #firstWhere(low: number, high: number, holds: (index: number) => boolean): number {
    let start = low;
    let end = high;
    while (start < end) {
      const middle = (start + end) >>> 1;
      if (holds(middle)) end = middle;
      else start = middle + 1;
    }
    return start;
  }

  /**
   * Compares a text, cut to the length of `wanted`, with `wanted`; 0 if the text begins with it. Compares byte by byte:
   * texts differ early, and a call into the buffer costs more.
   */
  #compareStart(index: number, wanted: Uint8Array): number {
    const start = this.#starts[index] as number;
    const length = Math.min(wanted.length, (this.#starts[index + 1] as number) - start);
    for (let at = 0; at < length; at++) {
      const difference = (this.#bytes[start + at] as number) - (wanted[at] as number);
      if (difference !== 0) return difference;
    }
    return length - wanted.length;
  }

  #is(index: number, wanted: Uint8Array): boolean {
    return this.byteLength(index) === wanted.length && this.#compareStart(index, wanted) === 0;
  }
}

/** Returns the sections of a column, given its texts. */
export function encodeTextColumn(name: string, texts: readonly string[]): Sections {
  const starts = new Uint32Array(texts.length + 1);
  let end = 0;
  texts.forEach((text, at) => {
    starts[at] = end;
    end += Buffer.byteLength(text);
  });
  starts[texts.length] = end;
  const bytes = Buffer.allocUnsafeSlow(end);
  for (const [at, text] of texts.entries()) bytes.write(text, starts[at] ?? 0);
  return { [`${name}.bytes`]: bytes, [`${name}.starts`]: starts };
}

/** The minimum number of slots per text; the total is rounded up to a power of two. */
const SLOTS_PER_TEXT = 1.5;

/**
 * A hash table over the texts of a column, in two sections with an element per slot: a mark, made of a few bits of the
 * text's hash, so that one byte rules out most texts that are not there (0: the slot is empty), and the place of the
 * text. If its slot is taken, a text is in the next empty one.
 */
export class TextTable {
  readonly #column: TextColumn;
  readonly #marks: Uint8Array;
  readonly #places: Uint32Array;

  constructor(sections: Sections, name: string, column: TextColumn) {
    this.#column = column;
    this.#marks = sectionOf(sections, `${name}.marks`, 'Uint8Array');
    this.#places = sectionOf(sections, `${name}.places`, 'Uint32Array');
  }

  /** Returns the position of a text in the column, or -1. */
  indexOf(text: string): number {
    const hash = hashOf(text);
    const mark = markOf(hash);
    const last = this.#marks.length - 1;
    let slot = hash & last;
    for (let own = this.#marks[slot]; own !== 0; own = this.#marks[slot]) {
      const place = this.#places[slot] as number;
      if (own === mark && this.#column.is(place, text)) return place;
      slot = (slot + 1) & last;
    }
    return -1;
  }
}

/** Returns the sections of a table, given the texts of the column, each once. */
export function encodeTextTable(name: string, texts: readonly string[]): Sections {
  const slots = 2 ** Math.ceil(Math.log2(1 + SLOTS_PER_TEXT * texts.length));
  const marks = new Uint8Array(slots);
  const places = new Uint32Array(slots);
  for (const [place, text] of texts.entries()) {
    const hash = hashOf(text);
    let slot = hash & (slots - 1);
    while (marks[slot] !== 0) slot = (slot + 1) & (slots - 1);
    marks[slot] = markOf(hash);
    places[slot] = place;
  }
  return { [`${name}.marks`]: marks, [`${name}.places`]: places };
}

/** From 1 to 128. */
function markOf(hash: number): number {
  return (hash >>> 25) + 1;
}

/** FNV-1a (Fowler, Noll and Vo, 1991) over UTF-16 units, mixed at the end, since its low bits select the slot. */
function hashOf(text: string): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193);
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d) >>> 0;
}
