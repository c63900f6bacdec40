import { termOf } from '../../revision/words/text-words.ts';
import type { ParsedQuery } from './parse-query.ts';
import type { Synonyms } from './synonyms.ts';

/** How an asset matches a word of the query. */
export type WordMatch = 'exact' | 'synonym' | 'prefix' | 'typo';

/** The weight of each kind of match, relative to the word itself. */
export const MATCH_FACTORS: Readonly<Record<WordMatch, number>> = {
  exact: 1,
  synonym: 0.7,
  prefix: 0.4,
  typo: 0.8,
};

/** One way to match a word of the query: all of these terms, or any word with this prefix. */
export type Alternative =
  | { match: Exclude<WordMatch, 'prefix'>; terms: readonly string[] }
  | { match: 'prefix'; prefix: string };

/** A word of the query with the ways in which an asset can match it. */
export interface Slot {
  word: string;
  alternatives: Alternative[];
  /** If none of the alternatives occurs anywhere, words with this prefix count; null if there would be too many. */
  fallback: string | null;
}

/** Shorter prefixes are ignored; for a word found nowhere, those below `MIN_FALLBACK` begin too many others. */
export const MIN_PREFIX = 2;
const MIN_FALLBACK = 3;

/** How many words of a query can be joined into one: `wx 250 s`. */
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

/** The length in code points. Scripts without spaces between words count double: one letter says as much as two. */
export function prefixLength(word: string): number {
  let length = 0;
  for (const letter of word) length += (letter.codePointAt(0) as number) >= 0x0e00 ? 2 : 1;
  return length;
}
