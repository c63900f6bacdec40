import { type Sections, sectionOf } from './sections.ts';

/**
 * Lists of 32-bit numbers in two sections: all values concatenated, and the start of each list, followed by the end.
 */
export class ListColumn {
  readonly #values: Uint32Array;
  readonly #starts: Uint32Array;

  constructor(sections: Sections, name: string) {
    this.#values = sectionOf(sections, `${name}.values`, 'Uint32Array');
    this.#starts = sectionOf(sections, `${name}.starts`, 'Uint32Array');
  }

  /** One list; a view, not a copy. */
  at(index: number): Uint32Array {
    return this.range(index, index + 1);
  }

  /** The lists from `first` up to, not including, `end`, as one. */
  range(first: number, end: number): Uint32Array {
    return this.#values.subarray(this.#starts[first], this.#starts[end]);
  }
}

export interface Lists {
  values: Uint32Array;
  /** One more than there are lists. */
  starts: Uint32Array;
}

/** The sections of a column. */
export function encodeListColumn(name: string, { values, starts }: Lists): Sections {
  return { [`${name}.values`]: values, [`${name}.starts`]: starts };
}
