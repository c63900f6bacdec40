import { splitCompound } from '../../revision/words/english-nouns.ts';
import { translate } from '../../revision/words/other-languages.ts';
import { STOP_WORDS, searchedWords, splitWords, stemOf, termOf } from '../../revision/words/text-words.ts';

/** How many different words of a query count; further words are ignored, to bound the cost of a query. */
const MAX_WORDS = 32;

/** How many phrases, and how many exclusions, count. */
const MAX_CONDITIONS = 8;

/** Fewer words are a name with an article. */
const MIN_DESCRIPTION = 3;

/** Words in order, lower-cased and without accents: a phrase, or a single word. */
export type Phrase = readonly string[];

export interface ParsedQuery {
  /** The words to search for, each once, in order, without stop words. */
  words: string[];
  /** Words that must be adjacent in one field: `"two words"`. */
  phrases: Phrase[];
  /** What an asset must not have: `-word`, `-"two words"`. */
  excluded: Phrase[];
  /** The words as they were typed, without exclusions, or in English if they are in Latin letters; the input of the encoder. */
  text: string;
  /** What to encode in its place if the model has not learned its words; null if nothing is known of them. */
  english: string | null;
  /** The terms of what was typed in another language, by the English words that are searched for in its place. */
  typed: ReadonlyMap<string, readonly string[]>;
  /** Whether it describes a thing (`keeps a camera steady`) rather than names it: words that only join others are between them. */
  isDescription: boolean;
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
  let wordCount = 0;
  let joinsWords = false;
  for (const [, quotedMinus, quoted, minus, unwanted, plain] of query.matchAll(PIECES)) {
    const piece = quoted ?? unwanted ?? plain ?? '';
    const found = phraseOf(piece);
    if (quotedMinus || minus) {
      if (found.length > 0 && excluded.length < MAX_CONDITIONS) excluded.push(found);
      continue;
    }
    if (quoted !== undefined && found.length > 0 && phrases.length < MAX_CONDITIONS) phrases.push(found);
    kept.push(piece);
    const runs = splitWords(piece);
    wordCount += runs.length;
    joinsWords ||= runs.some(({ word }) => STOP_WORDS.has(word));
    for (const word of runs.flatMap(searchedWords)) if (words.size < MAX_WORDS) words.add(word);
  }
  const english = phrases.length === 0 ? translate([...words]) : null;
  return {
    words: english?.words ?? [...words],
    phrases,
    excluded,
    text: english?.isLatin ? english.words.join(' ') : kept.join(' '),
    english: english?.words.join(' ') ?? null,
    typed: english?.typed ?? new Map(),
    isDescription: joinsWords && wordCount >= MIN_DESCRIPTION && english === null && phrases.length === 0,
    endsInWord: english === null && /[\p{L}\p{N}]$/u.test(query),
  };
}

/** Returns the words of a text in order, with names LikeThis split into their parts. */
export function phraseOf(text: string): Phrase {
  return splitWords(text).flatMap(({ parts }) => parts);
}

/** How an asset matches a word of the query. */
export type WordMatch = 'exact' | 'stem' | 'synonym' | 'prefix' | 'typo';

/** The weight of each kind of match, relative to the word itself. */
export const MATCH_FACTORS: Readonly<Record<WordMatch, number>> = {
  exact: 1,
  stem: 0.6,
  synonym: 0.7,
  prefix: 0.4,
  typo: 0.8,
};

/** One way to match a word of the query: all of these terms, any other term of this stem, or any word with this prefix. */
export type Alternative =
  | { match: Exclude<WordMatch, 'prefix' | 'stem'>; terms: readonly string[] }
  | { match: 'stem'; stem: string; except: string }
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

export function slotsOf({ words, typed, endsInWord }: ParsedQuery, synonyms: Synonyms): Slot[] {
  const terms = words.map(termOf);
  const slots = words.map((word, at): Slot => {
    const alternatives: Alternative[] = [{ match: 'exact', terms: [terms[at] as string] }];
    const own = typed.get(word);
    if (own !== undefined) alternatives.push({ match: 'exact', terms: own });
    const term = terms[at] as string;
    const stem = stemOf(term);
    if (stem !== null) alternatives.push({ match: 'stem', stem, except: term });
    const compound = splitCompound(word);
    if (compound) alternatives.push({ match: 'synonym', terms: compound.map(termOf) });
    if (endsInWord && at === words.length - 1 && prefixLength(word) >= MIN_PREFIX)
      alternatives.push({ match: 'prefix', prefix: word });
    return { word, alternatives, fallback: prefixLength(word) >= MIN_FALLBACK ? word : null };
  });
  let end = 0;
  for (let at = 0; at < words.length; at++) {
    for (let length = 2; length <= Math.min(MAX_JOINED, words.length - at); length++) {
      const joined = termOf(words.slice(at, at + length).join(''));
      addTo(slots, at, length, { match: 'exact', terms: [joined] });
    }
    for (const { length, others } of synonyms.from(terms, at)) {
      // In "two-legged robot", no "legged robot" is meant.
      if (at < end && at + length > end && length > 1) continue;
      if (length > 1) end = Math.max(end, at + length);
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

/** Another way to say a word or several: terms that must all be present. */
type OtherWords = readonly string[];

/** The synonyms of one or more consecutive words of a query. */
interface Synonym {
  /** How many words of the query it covers. */
  length: number;
  others: readonly OtherWords[];
}

/** Groups of words that mean about the same. `parseSynonyms` reads them from a text with one group per line. */
export class Synonyms {
  /** The other entries of an entry's groups, by the terms of the entry joined with spaces. */
  readonly #groups = new Map<string, OtherWords[]>();
  #longest = 0;

  constructor(groups: readonly (readonly OtherWords[])[]) {
    for (const group of groups) {
      for (const entry of group) {
        const key = entry.join(' ');
        const others = group.filter((other) => other.join(' ') !== key);
        this.#groups.set(key, [...(this.#groups.get(key) ?? []), ...others]);
        this.#longest = Math.max(this.#longest, entry.length);
      }
    }
  }

  /** Yields the synonyms of the words that start at a position, for every number of words that has any. */
  *from(terms: readonly string[], at: number): Generator<Synonym> {
    const longest = Math.min(this.#longest, terms.length - at);
    for (let length = 1; length <= longest; length++) {
      const others = this.#groups.get(terms.slice(at, at + length).join(' '));
      if (others) yield { length, others };
    }
  }
}

/**
 * Parses one group per line, its entries separated by commas, each of one or more words; `#` begins a comment. Case,
 * accents and inflections make no difference.
 */
export function parseSynonyms(text: string): Synonyms {
  const groups = text.split('\n').map((line) =>
    line
      .replace(/#.*/, '')
      .split(',')
      .map((entry) => phraseOf(entry).map(termOf))
      .filter((entry) => entry.length > 0),
  );
  return new Synonyms(groups.filter((group) => group.length > 1));
}
