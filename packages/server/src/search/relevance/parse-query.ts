import {
  bigrams,
  isUnspaced,
  STOP_WORDS,
  splitWords,
  type TextWord,
} from '../../revision/words/text-words.ts';

/** How many different words of a query count; further words are ignored, to bound the cost of a query. */
export const MAX_WORDS = 32;

/** How many phrases, and how many exclusions, count. */
const MAX_CONDITIONS = 8;

/** Words in order, lower-cased and without accents: a phrase, or a single word. */
export type Phrase = readonly string[];

export interface ParsedQuery {
  /** The words to search for, each once, in order, without stop words. */
  words: string[];
  /** Words that must be adjacent in one field: `"two words"`. */
  phrases: Phrase[];
  /** What an asset must not have: `-word`, `-"two words"`. */
  excluded: Phrase[];
  /** The words as they were typed, without exclusions; the input of the encoder. */
  text: string;
  /** Whether the last word might be incomplete: nothing follows it. */
  endsInWord: boolean;
}

/** A quoted phrase or a word, either of which can follow a minus. */
const PIECES = /(?<=^|\s)(-?)"([^"]*)"|(?<=^|\s)(-)(?=\S)(\S+)|(\S+)/gu;

/** Parses what a user typed. Every text is a valid query; a quote without its partner is ignored. */
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

/** Returns the words of a text in order, with names LikeThis split into their parts. */
export function phraseOf(text: string): Phrase {
  return splitWords(text).flatMap(({ parts }) => parts);
}

function searchedWords({ word }: TextWord): string[] {
  const words = isUnspaced(word) ? bigrams(word) : [word];
  return words.filter((one) => !STOP_WORDS.has(one));
}
