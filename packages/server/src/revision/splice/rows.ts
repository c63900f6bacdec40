import { type Sections, sectionOf } from '../sections.ts';
import type { TextColumn } from '../text-column.ts';

/** Something of an earlier revision, and of what changed since. */
export interface Sides<Part> {
  earlier: Part;
  changed: Part;
}

/** The place of what a new revision lacks. */
export const GONE = 0xffff_ffff;

/** For each row of a new column its row on both sides, of which that of the changes counts; `GONE` where there is none. */
export type Rows = Sides<Uint32Array>;

/** Merges two columns that are sorted by UTF-8 bytes. */
export function mergeRows({ earlier, changed }: Sides<TextColumn>, isKept: (row: number) => boolean): Rows {
  const most = earlier.length + changed.length;
  const rows = { earlier: new Uint32Array(most).fill(GONE), changed: new Uint32Array(most).fill(GONE) };
  let [count, next] = [0, 0];
  const keepUntil = (end: number) => {
    for (; next < end; next++) if (isKept(next)) rows.earlier[count++] = next;
  };
  for (let row = 0; row < changed.length; row++) {
    const { first, exact } = earlier.startingWith(changed.at(row));
    keepUntil(first);
    if (exact) {
      if (isKept(first)) rows.earlier[count] = first;
      next = first + 1;
    }
    rows.changed[count++] = row;
  }
  keepUntil(earlier.length);
  return { earlier: rows.earlier.subarray(0, count), changed: rows.changed.subarray(0, count) };
}

/** Returns the places that the rows of both sides have in the new column. */
export function placesOf(rows: Rows, { earlier, changed }: Sides<{ length: number }>): Sides<Uint32Array> {
  const invert = (side: Uint32Array, length: number) => {
    const places = new Uint32Array(length).fill(GONE);
    for (let place = 0; place < side.length; place++)
      if (side[place] !== GONE) places[side[place] as number] = place;
    return places;
  };
  return { earlier: invert(rows.earlier, earlier.length), changed: invert(rows.changed, changed.length) };
}

/** Calls `visit` with rows of one side that come one after another in the new column, from `place` on. */
export function eachRun(
  { earlier, changed }: Rows,
  visit: (side: keyof Rows, first: number, end: number, place: number) => void,
): void {
  for (let start = 0, place = 0; place < earlier.length; start = place) {
    const row = changed[start] as number;
    if (row !== GONE) visit('changed', row, row + 1, place++);
    else {
      const first = earlier[start] as number;
      do place++;
      while (changed[place] === GONE && earlier[place] === first + place - start);
      visit('earlier', first, first + place - start, start);
    }
  }
}

/** Lists of numbers, or texts as lists of bytes: all one after another, and the start of each, then the end. */
export interface Listed<Values> {
  values: Values;
  starts: Uint32Array;
}

/** @param join makes one list of two in the same row */
export function spliceLists<Values extends Uint8Array | Uint32Array>(
  sides: Sides<Listed<Values>>,
  rows: Rows,
  join: (earlier: Values, changed: Values) => Values = (_, changed) => changed,
): Listed<Values> {
  const { earlier, changed } = sides;
  const Numbers = earlier.values.constructor as new (length: number) => Values;
  const values = new Numbers(earlier.values.length + changed.values.length);
  const starts = new Uint32Array(rows.earlier.length + 1);
  const listAt = (side: keyof Rows, first: number, end: number) => {
    const { values, starts } = sides[side];
    return values.subarray(starts[first], starts[end]) as Values;
  };
  let size = 0;
  eachRun(rows, (side, first, end, place) => {
    const row = rows.earlier[place] as number;
    const own = listAt(side, first, end);
    const list = side === 'changed' && row !== GONE ? join(listAt('earlier', row, row + 1), own) : own;
    const from = sides[side].starts;
    for (let at = first; at < end; at++)
      starts[place + at - first] = size + (from[at] as number) - (from[first] as number);
    values.set(list, size);
    size += list.length;
  });
  starts[rows.earlier.length] = size;
  return { values: values.subarray(0, size) as Values, starts };
}

/** Returns the sections of columns of texts. */
export function spliceTexts(sides: Sides<Sections>, rows: Rows, ...names: readonly string[]): Sections {
  const column = (sections: Sections, name: string) => ({
    values: sectionOf(sections, `${name}.bytes`, 'Uint8Array'),
    starts: sectionOf(sections, `${name}.starts`, 'Uint32Array'),
  });
  const spliced = names.map((name) => {
    const texts = { earlier: column(sides.earlier, name), changed: column(sides.changed, name) };
    const { values, starts } = spliceLists(texts, rows);
    return { [`${name}.bytes`]: values, [`${name}.starts`]: starts };
  });
  return Object.assign({}, ...spliced);
}

/** Returns a section of which each row has `width` numbers. */
export function spliceNumbers<Kind extends 'Uint8Array' | 'Uint32Array' | 'Float64Array'>(
  sides: Sides<Sections>,
  rows: Rows,
  name: string,
  kind: Kind,
  width = 1,
): Sections {
  const from = {
    earlier: sectionOf(sides.earlier, name, kind),
    changed: sectionOf(sides.changed, name, kind),
  };
  const Numbers = from.earlier.constructor as new (length: number) => Uint8Array;
  const numbers = new Numbers(rows.earlier.length * width);
  eachRun(rows, (side, first, end, place) => {
    numbers.set(from[side].subarray(first * width, end * width), place * width);
  });
  return { [name]: numbers };
}
