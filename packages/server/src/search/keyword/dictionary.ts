/** Sorted texts as bytes end to end; text `n` is `bytes[offsets[n] .. offsets[n + 1]]`, in UTF-8. */
export interface DictionarySections {
  bytes: Uint8Array;
  offsets: Uint32Array;
}

/** Lays out texts that are distinct and sorted by their UTF-8 bytes. */
export function encodeDictionary(sorted: readonly string[]): DictionarySections {
  const offsets = new Uint32Array(sorted.length + 1);
  sorted.forEach((text, n) => {
    offsets[n + 1] = (offsets[n] as number) + Buffer.byteLength(text);
  });
  const bytes = new Uint8Array(offsets[sorted.length] as number);
  const encoder = new TextEncoder();
  sorted.forEach((text, n) => {
    encoder.encodeInto(text, bytes.subarray(offsets[n], offsets[n + 1]));
  });
  return { bytes, offsets };
}

/** Texts `first` up to, not including, `end`. `exact`: the first of them equals what was looked for. */
export interface DictionaryRange {
  first: number;
  end: number;
  exact: boolean;
}

/** Finds all texts that begin alike in sections laid out by `encodeDictionary`. */
export class Dictionary {
  readonly #bytes: Uint8Array;
  readonly #offsets: Uint32Array;

  constructor({ bytes, offsets }: DictionarySections) {
    this.#bytes = bytes;
    this.#offsets = offsets;
  }

  startingWith(prefix: string): DictionaryRange {
    const wanted = Buffer.from(prefix);
    const first = this.#firstWhere(0, (n) => this.#compare(n, wanted) >= 0);
    const end = this.#firstWhere(first, (n) => this.#compare(n, wanted) > 0);
    return { first, end, exact: first < end && this.#length(first) === wanted.length };
  }

  /** Binary search for the first number from `low` on for which a condition holds that holds for all after it. */
  #firstWhere(low: number, holds: (n: number) => boolean): number {
    let start = low;
    let end = this.#offsets.length - 1;
    while (start < end) {
      const middle = (start + end) >>> 1;
      if (holds(middle)) end = middle;
      else start = middle + 1;
    }
    return start;
  }

  /** Text `n` cut to the length of `wanted`, against it: negative, 0 (begins with it) or positive. */
  #compare(n: number, wanted: Uint8Array): number {
    const start = this.#offsets[n] as number;
    const length = Math.min(this.#length(n), wanted.length);
    for (let at = 0; at < length; at++) {
      const difference = (this.#bytes[start + at] as number) - (wanted[at] as number);
      if (difference !== 0) return difference;
    }
    return length - wanted.length;
  }

  #length(n: number): number {
    return (this.#offsets[n + 1] as number) - (this.#offsets[n] as number);
  }
}
