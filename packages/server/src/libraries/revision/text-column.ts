import { type Sections, sectionOf } from './sections.ts';

/**
 * A list of texts in two sections: their UTF-8 bytes end to end, and where each starts (with the end as one more).
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

  /** The place of a text in a column that is sorted by UTF-8 bytes, or -1. */
  indexOf(text: string): number {
    const wanted = Buffer.from(text);
    let low = 0;
    let high = this.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const order = this.#bytes.compare(
        wanted,
        0,
        wanted.length,
        this.#starts[middle],
        this.#starts[middle + 1],
      );
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
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
