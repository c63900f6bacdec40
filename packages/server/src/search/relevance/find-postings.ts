import { WORD_FIELD_BITS, WORD_FIELD_MASK } from '../../revision/words/fields.ts';
import type { WordIndex } from '../../revision/words/word-index.ts';
import type { Alternative } from './slots.ts';

/** The postings of an alternative in one index: lists that may share documents. */
export function* findPostings(index: WordIndex, alternative: Alternative): Generator<Uint32Array> {
  if (alternative.match === 'prefix') {
    for (const place of placesWith(index, alternative.prefix)) yield index.postings(place);
    return;
  }
  const places = alternative.terms.map((term) => index.placeOf(term));
  if (places.some((place) => place < 0)) return;
  const [first, ...others] = places.map((place) => index.postings(place));
  if (first !== undefined) yield others.reduce(inSameField, first);
}

/** The places of the terms of all words that begin so, each once. */
function placesWith(index: WordIndex, prefix: string): Set<number> {
  const { first, end } = index.writtenWith(prefix);
  const places = new Set<number>();
  for (let at = first; at < end; at++) places.add(index.termOfWritten(at));
  return places;
}

/** The documents that have both in one field. Both lists ascend. */
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
