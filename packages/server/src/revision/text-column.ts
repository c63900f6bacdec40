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

  /** Length of a text in bytes. */
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

  /** The position of a text in a column sorted by UTF-8 bytes, or -1. */
  indexOf(text: string): number {
    const { first, exact } = this.startingWith(text);
    return exact ? first : -1;
  }

  /**
   * The places from `first` up to, not including, `end` whose texts begin with `prefix`, in a column that is sorted by
   * UTF-8 bytes; `exact`: the first of them is the prefix itself.
   */
  startingWith(prefix: string): { first: number; end: number; exact: boolean } {
    const wanted = Buffer.from(prefix);
    const first = this.#firstWhere(0, (index) => this.#compareStart(index, wanted) >= 0);
    const end = this.#firstWhere(first, (index) => this.#compareStart(index, wanted) > 0);
    return { first, end, exact: first < end && this.byteLength(first) === wanted.length };
  }

  /** How this column's text at one place and another column's text at another compare by UTF-8 bytes. */
  compare(index: number, other: TextColumn, otherIndex: number): number {
    return this.#bytes.compare(
      other.#bytes,
      other.#starts[otherIndex],
      other.#starts[otherIndex + 1],
      this.#starts[index],
      this.#starts[index + 1],
    );
  }

  /** Binary search, from `low` on, for the first position where a monotonic condition holds. */
  #firstWhere(low: number, holds: (index: number) => boolean): number {
    let start = low;
    let end = this.length;
    while (start < end) {
      const middle = (start + end) >>> 1;
      if (holds(middle)) end = middle;
      else start = middle + 1;
    }
    return start;
  }

  /** A text, cut to the length of `wanted`, against it: 0 if it begins with it. */
  #compareStart(index: number, wanted: Buffer): number {
    const start = this.#starts[index] as number;
    const end = Math.min(start + wanted.length, this.#starts[index + 1] as number);
    return this.#bytes.compare(wanted, 0, wanted.length, start, end);
  }
}

/** The sections of a column, from its texts. */
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
