import type { DocumentSet } from '../../revision/keywords/keyword-index.ts';
import { WORD_FIELD_BITS, WORD_FIELD_MASK, type WordIndex } from '../../revision/words/word-index.ts';
import type { Alternative } from './query.ts';

/** Lists of postings, which can have documents in common: ranges of `values`, as pairs of start and end. */
export interface FoundPostings {
  values: Uint32Array;
  ranges: readonly number[];
}

/** Returns the postings of an alternative in one index. */
export function findPostings(index: WordIndex, alternative: Alternative): FoundPostings {
  if (alternative.match === 'prefix') return postingsWith(index, alternative.prefix);
  if (alternative.match === 'stem') return postingsOfStem(index, alternative);
  const [term, ...others] = alternative.terms;
  if (term === undefined || others.length > 0) return postingsOfAll(index, alternative.terms);
  const place = index.placeOf(term);
  return place < 0 ? postingsFrom(index, []) : postingsOf(index, place);
}

/** Returns how many postings were found, of the documents in a set; null is a set of all. */
export function countPostings({ values, ranges }: FoundPostings, counted: DocumentSet | null): number {
  let count = 0;
  for (let at = 0; at < ranges.length; at += 2) {
    const [start, end] = [ranges[at] as number, ranges[at + 1] as number];
    if (counted === null) count += end - start;
    else
      for (let place = start; place < end; place++)
        count += counted[(values[place] as number) >>> WORD_FIELD_BITS] as number;
  }
  return count;
}

/** Returns the postings of the term at a place. */
export function postingsOf(index: WordIndex, place: number): FoundPostings {
  return postingsFrom(index, [place, place + 1]);
}

function postingsOfAll(index: WordIndex, terms: readonly string[]): FoundPostings {
  const places = terms.map((term) => index.placeOf(term));
  if (places.some((place) => place < 0)) return postingsFrom(index, []);
  const [first, ...others] = places.map((place) => index.postings(place));
  if (first === undefined) return postingsFrom(index, []);
  const values = others.reduce(inSameField, first);
  return { values, ranges: [0, values.length] };
}

/** Returns the postings of the terms of all words that begin with `prefix`, each term once. */
function postingsWith(index: WordIndex, prefix: string): FoundPostings {
  const { first, end } = index.writtenWith(prefix);
  if (first === end) return postingsFrom(index, []);
  return postingsFrom(index, runsOf(index.termsOfWritten(first, end).slice().sort()));
}

function postingsOfStem(index: WordIndex, { stem, except }: Alternative & { match: 'stem' }): FoundPostings {
  const places = index.termsOfStem(stem);
  if (places.length === 0) return postingsFrom(index, []);
  const own = index.placeOf(except);
  return postingsFrom(index, runsOf(places.filter((place) => place !== own)));
}

/** Returns ascending places as pairs of start and end; most of them are adjacent. */
function runsOf(places: Uint32Array): number[] {
  const runs: number[] = [];
  for (const place of places) {
    const last = runs.length - 1;
    if (last < 0 || place > (runs[last] as number)) runs.push(place, place + 1);
    else runs[last] = Math.max(runs[last] as number, place + 1);
  }
  return runs;
}

/** Returns the postings of runs of terms, given as pairs of start and end places. */
function postingsFrom({ lists: { values, starts } }: WordIndex, runs: readonly number[]): FoundPostings {
  return { values, ranges: runs.map((place) => starts[place] as number) };
}

/** Returns the postings of the documents that have both terms in one field. Both lists must be ascending. */
function inSameField(one: Uint32Array, other: Uint32Array): Uint32Array {
  const both = new Uint32Array(Math.min(one.length, other.length));
  let found = 0;
  for (let at = 0, beside = 0; at < one.length && beside < other.length; ) {
    const [left, right] = [one[at] as number, other[beside] as number];
    const order = (left >>> WORD_FIELD_BITS) - (right >>> WORD_FIELD_BITS);
    if (order <= 0) at++;
    if (order >= 0) beside++;
    const fields = left & right & WORD_FIELD_MASK;
    if (order === 0 && fields !== 0) both[found++] = (left & ~WORD_FIELD_MASK) | fields;
  }
  return both.subarray(0, found);
}

/** How many places one search remembers; further ones are looked up again by every pass. */
const MAX_REMEMBERED = 1_000_000;

/**
 * Remembers where one search found the postings of each alternative, so that its passes look them up once. It stores
 * only numbers and retains no index.
 */
export class PostingsCache {
  readonly #ranges = new Map<Alternative, (readonly number[])[]>();
  #left = MAX_REMEMBERED;

  /** @param at the position of the source, the same in every pass */
  find(at: number, index: WordIndex, alternative: Alternative): FoundPostings {
    const { values } = index.lists;
    const known = this.#ranges.get(alternative)?.[at];
    if (known !== undefined) return { values, ranges: known };
    const found = findPostings(index, alternative);
    if (found.values === values) this.#remember(at, alternative, found.ranges);
    return found;
  }

  #remember(at: number, alternative: Alternative, ranges: readonly number[]): void {
    this.#left -= 1 + ranges.length;
    if (this.#left < 0) return;
    const known = this.#ranges.get(alternative);
    if (known) known[at] = ranges;
    else {
      const own: (readonly number[])[] = [];
      own[at] = ranges;
      this.#ranges.set(alternative, own);
    }
  }
}
