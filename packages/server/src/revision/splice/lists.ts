import { encodeListColumn, ListColumn, type Lists } from '../list-column.ts';
import type { Sections } from '../sections.ts';
import { TextColumn } from '../text-column.ts';
import { GONE, mergeRows, type Rows, type Sides, spliceLists, spliceTexts } from './rows.ts';

/** The numbers that documents have in a new revision, by those that they have on both sides. */
export type Numbers = Sides<Uint32Array>;

/** Lists of documents by key, such as the postings of words. */
interface KeyedLists {
  sections: Sections;
  rows: Rows;
  lists: Lists;
}

/**
 * Splices lists of documents by key. The lowest `bits` bits of a value say something of the document, whose number is
 * above them. Keys whose documents are all gone are left out.
 */
export function spliceKeyed(
  sides: Sides<Sections>,
  names: { keys: string; lists: string },
  numbers: Numbers,
  bits: number,
): KeyedLists {
  const listsOf = (side: keyof Numbers) =>
    renumbered(new ListColumn(sides[side], names.lists).lists, numbers[side], bits);
  const both = { earlier: listsOf('earlier'), changed: listsOf('changed') };
  const { starts } = both.earlier;
  const keys = {
    earlier: new TextColumn(sides.earlier, names.keys),
    changed: new TextColumn(sides.changed, names.keys),
  };
  const rows = mergeRows(keys, (row) => starts[row] !== starts[row + 1]);
  const lists = spliceLists(both, rows, mergeAscending);
  const sections = { ...spliceTexts(sides, rows, names.keys), ...encodeListColumn(names.lists, lists) };
  return { sections, rows, lists };
}

/** Returns lists with new numbers of documents, without those that are gone. */
function renumbered({ values, starts }: Lists, numbers: Uint32Array, bits: number): Lists {
  const kept = new Uint32Array(values.length);
  const ends = new Uint32Array(starts.length);
  const mask = (1 << bits) - 1;
  let end = 0;
  for (let list = 0; list + 1 < starts.length; list++) {
    const last = starts[list + 1] as number;
    for (let at = starts[list] as number; at < last; at++) {
      const value = values[at] as number;
      const number = numbers[value >>> bits] as number;
      if (number !== GONE) kept[end++] = (number << bits) | (value & mask);
    }
    ends[list + 1] = end;
  }
  return { values: kept.subarray(0, end), starts: ends };
}

/** Merges two ascending lists without a number in common. */
function mergeAscending(one: Uint32Array, other: Uint32Array): Uint32Array {
  const merged = new Uint32Array(one.length + other.length);
  let next = 0;
  for (const [at, value] of one.entries()) {
    while (next < other.length && (other[next] as number) < value)
      merged[at + next] = other[next++] as number;
    merged[at + next] = value;
  }
  merged.set(other.subarray(next), one.length + next);
  return merged;
}
