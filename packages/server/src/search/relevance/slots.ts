import { termOf } from '../../revision/words/terms.ts';
import type { ParsedQuery } from './parse-query.ts';
import type { Synonyms } from './synonyms.ts';

/** How an asset has a word of the query. */
export type WordMatch = 'exact' | 'synonym' | 'prefix' | 'typo';

/** What a match of each kind counts, beside one with the word itself. */
export const MATCH_FACTORS: Readonly<Record<WordMatch, number>> = {
  exact: 1,
  synonym: 0.7,
  prefix: 0.4,
  typo: 0.8,
};

/** One way to match a word of the query: all of these terms, or any word that begins so. */
export type Alternative =
  | { match: Exclude<WordMatch, 'prefix'>; terms: readonly string[] }
  | { match: 'prefix'; prefix: string };

/** A word of the query with the ways in which an asset may have it. */
export interface Slot {
  word: string;
  alternatives: Alternative[];
  /** Where none of the alternatives is anywhere, words that begin so count; null where they would be too many. */
  fallback: string | null;
}

/** Prefixes shorter than this count nothing, and where a word is found nowhere, begin too many others. */
export const MIN_PREFIX = 2;
const MIN_FALLBACK = 3;

/** How many words of a query may be written as one: `wx 250 s`. */
const MAX_JOINED = 3;

export function slotsOf({ words, endsInWord }: ParsedQuery, synonyms: Synonyms): Slot[] {
  const terms = words.map(termOf);
  const slots = words.map((word, at): Slot => {
    const alternatives: Alternative[] = [{ match: 'exact', terms: [terms[at] as string] }];
    if (endsInWord && at === words.length - 1 && prefixLength(word) >= MIN_PREFIX)
      alternatives.push({ match: 'prefix', prefix: word });
    return { word, alternatives, fallback: prefixLength(word) >= MIN_FALLBACK ? word : null };
  });
  for (let at = 0; at < words.length; at++) {
    for (let length = 2; length <= Math.min(MAX_JOINED, words.length - at); length++) {
      const joined = termOf(words.slice(at, at + length).join(''));
      addTo(slots, at, length, { match: 'exact', terms: [joined] });
    }
    for (const { length, others } of synonyms.from(terms, at)) {
      for (const other of others) addTo(slots, at, length, { match: 'synonym', terms: other });
    }
  }
  return slots;
}

function addTo(slots: readonly Slot[], at: number, length: number, alternative: Alternative): void {
  for (const slot of slots.slice(at, at + length)) slot.alternatives.push(alternative);
}

/** In code points, those of scripts without blanks counting double: one letter of them says as much. */
export function prefixLength(word: string): number {
  let length = 0;
  for (const letter of word) length += (letter.codePointAt(0) as number) >= 0x0e00 ? 2 : 1;
  return length;
}
