import { type Sections, sectionOf } from './sections.ts';

/**
 * Lists of 32-bit numbers in two sections: all values concatenated, and the start of each list, followed by the end.
 */
export class ListColumn {
  /** All lists, as stored. */
  readonly lists: Lists;

  constructor(sections: Sections, name: string) {
    this.lists = {
      values: sectionOf(sections, `${name}.values`, 'Uint32Array'),
      starts: sectionOf(sections, `${name}.starts`, 'Uint32Array'),
    };
  }

  /** How many values a list has. */
  lengthOf(index: number): number {
    return (this.lists.starts[index + 1] as number) - (this.lists.starts[index] as number);
  }

  /** Returns one list; a view, not a copy. */
  at(index: number): Uint32Array {
    return this.range(index, index + 1);
  }

  /** Returns the lists from `first` up to, not including, `end`, as one. */
  range(first: number, end: number): Uint32Array {
    const { values, starts } = this.lists;
    return values.subarray(starts[first], starts[end]);
  }
}

/** Counts, for each list from `first` up to, not including, `end`, the values that have a bit set in a table. */
export function countMarked(
  { values, starts }: Lists,
  { first, end }: { first: number; end: number },
  { table, bit }: { table: Uint16Array; bit: number },
): Uint32Array {
  const counts = new Uint32Array(end - first);
  for (let list = first; list < end; list++) {
    const after = starts[list + 1] as number;
    let count = 0;
    for (let at = starts[list] as number; at < after; at++) {
      if (((table[values[at] as number] as number) & bit) !== 0) count++;
    }
    counts[list - first] = count;
  }
  return counts;
}

export interface Lists {
  values: Uint32Array;
  /** One element more than there are lists. */
  starts: Uint32Array;
}

/** Returns the sections of a column. */
export function encodeListColumn(name: string, { values, starts }: Lists): Sections {
  return { [`${name}.values`]: values, [`${name}.starts`]: starts };
}

/** Returns lists as a column has them. */
export function concatenated(lists: readonly Uint32Array[]): Lists {
  const starts = new Uint32Array(lists.length + 1);
  for (const [at, { length }] of lists.entries()) starts[at + 1] = (starts[at] as number) + length;
  const values = new Uint32Array(starts[lists.length] as number);
  for (const [at, list] of lists.entries()) values.set(list, starts[at]);
  return { values, starts };
}
