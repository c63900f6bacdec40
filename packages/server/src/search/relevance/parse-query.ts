import { bigrams, isUnspaced, type Run, splitWords } from '../../revision/words/split.ts';
import { STOP_WORDS } from '../../revision/words/stop-words.ts';

/** How many different words of a query count; the others are passed over, so that a query costs no more than its bound. */
export const MAX_WORDS = 32;

/** How many phrases, and how many exclusions, count. */
const MAX_CONDITIONS = 8;

/** Words in order, lower-cased and without accents: a phrase, or a single word. */
export type Phrase = readonly string[];

export interface ParsedQuery {
  /** The words that are looked for, each once, in order; stop words left out. */
  words: string[];
  /** What must stand in one field as it is: `"two words"`. */
  phrases: Phrase[];
  /** What must not be there: `-word`, `-"two words"`. */
  excluded: Phrase[];
  /** The words as they were typed, without what is excluded: what an encoder reads. */
  text: string;
  /** The last word may be about to be typed: nothing follows it. */
  endsInWord: boolean;
}

/** A phrase in quotes or a word, after a minus or not. */
const PIECES = /(?<=^|\s)(-?)"([^"]*)"|(?<=^|\s)(-)(?=\S)(\S+)|(\S+)/gu;

/** Reads what a user typed. Every text is a query; a quote without its partner counts as nothing. */
export function parseQuery(query: string): ParsedQuery {
  const words = new Set<string>();
  const phrases: Phrase[] = [];
  const excluded: Phrase[] = [];
  const kept: string[] = [];
  for (const [, quotedMinus, quoted, minus, unwanted, plain] of query.matchAll(PIECES)) {
    const piece = quoted ?? unwanted ?? plain ?? '';
    const found = phraseOf(piece);
    if (quotedMinus || minus) {
      if (found.length > 0 && excluded.length < MAX_CONDITIONS) excluded.push(found);
      continue;
    }
    if (quoted !== undefined && found.length > 0 && phrases.length < MAX_CONDITIONS) phrases.push(found);
    kept.push(piece);
    for (const word of splitWords(piece).flatMap(searchedWords)) if (words.size < MAX_WORDS) words.add(word);
  }
  return {
    words: [...words],
    phrases,
    excluded,
    text: kept.join(' '),
    endsInWord: /[\p{L}\p{N}]$/u.test(query),
  };
}

/** The words of a text in order, those of names LikeThis apart. */
export function phraseOf(text: string): Phrase {
  return splitWords(text).flatMap(({ parts }) => parts);
}

function searchedWords({ word }: Run): string[] {
  const words = isUnspaced(word) ? bigrams(word) : [word];
  return words.filter((one) => !STOP_WORDS.has(one));
}
