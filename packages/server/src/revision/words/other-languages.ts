// biome-ignore lint/style/noRestrictedImports: tables of this package
import { readFileSync } from 'node:fs';
import { isEnglish } from './english-nouns.ts';
import { isUnspaced, searchedWords, splitWords, termOf } from './text-words.ts';

/** A query of which words are in English, instead of the language in which it was typed. */
export interface Translation {
  /** The words to search for, each once. */
  words: string[];
  /** The terms of the words as they were typed, by the English words that stand for them. */
  typed: ReadonlyMap<string, readonly string[]>;
  /** Whether all that was typed is in Latin letters, of which a model may know the pieces without the words. */
  isLatin: boolean;
}

/** The longest names have this many terms. */
const LONGEST = 6;

/** What a name of a thing is looked up by. */
export function termsOfName(name: string): string[] {
  return splitWords(name).flatMap(searchedWords).map(termOf);
}

/**
 * Returns a query in English if it has names of things in other languages; null otherwise, and if it has English words
 * beside them, with which names in Latin letters are more probably English as well. Of what is left, articles and
 * prepositions are dropped, and letters of scripts without spaces.
 */
export function translate(typed: readonly string[]): Translation | null {
  const terms = typed.map(termOf);
  const words = new Set<string>();
  const found = new Map<string, readonly string[]>();
  const left: string[] = [];
  for (let at = 0; at < typed.length; ) {
    const length = longestAt(typed, terms, at);
    const own = terms.slice(at, at + Math.max(1, length));
    const english = length === 0 ? undefined : englishOf(own.join(' '));
    for (const word of english?.split(' ') ?? []) {
      words.add(word);
      found.set(word, own);
    }
    if (english === undefined) {
      words.add(typed[at] as string);
      left.push(typed[at] as string);
    }
    at += own.length;
  }
  const isLatin = typed.every((word) => LATIN.test(word));
  if (found.size === 0 || (isLatin && left.some(isEnglishWord))) return null;
  return { isLatin, words: [...words].filter((word) => found.has(word) || !saysNothing(word)), typed: found };
}

/** Returns how many terms the longest name has that begins here; 0 if none does. */
function longestAt(typed: readonly string[], terms: readonly string[], at: number): number {
  for (let length = Math.min(LONGEST, terms.length - at); length > 0; length--) {
    const isMeant = typed.slice(at, at + length).some(isForeign);
    if (isMeant && englishOf(terms.slice(at, at + length).join(' ')) !== undefined) return length;
  }
  return 0;
}

const LATIN = /^[a-z\d]+$/;
const SHORT = /^\p{L}{1,3}$/u;

/** Whether a word may be one of another language: short ones are abbreviations as often. */
function isForeign(word: string): boolean {
  return !LATIN.test(word) || !(SHORT.test(word) || isEnglishWord(word));
}

/** Whether a word is English, or inflected. */
function isEnglishWord(word: string): boolean {
  return !SHORT.test(word) && (isEnglish(word) || isEnglish(termOf(word)));
}

function saysNothing(word: string): boolean {
  return isUnspaced(word) || (SHORT.test(word) && !isEnglish(word));
}

interface Tables {
  /** A line per name, sorted by them: `terms:English`. */
  names: string;
  /** Those of robots, which count first. */
  robots: ReadonlyMap<string, string>;
}

let tables: Tables | undefined;

/**
 * Returns the English name of a thing, given the terms of that in another language: from a table that
 * `scripts/other-languages.ts` has written and, of robots, one by hand. It is searched as it is read, since 60,000 lines
 * take too long to split.
 */
function englishOf(terms: string): string | undefined {
  tables ??= { names: read('other-languages.txt'), robots: readRobots(read('robots-abroad.txt')) };
  return tables.robots.get(terms) ?? findLine(tables.names, terms);
}

function findLine(text: string, key: string): string | undefined {
  let [first, end] = [0, text.length];
  while (first < end) {
    const start = text.lastIndexOf('\n', ((first + end) >> 1) - 1) + 1;
    const colon = text.indexOf(':', start);
    const found = text.slice(start, colon);
    const next = text.indexOf('\n', colon) + 1;
    if (found === key) return text.slice(colon + 1, next - 1);
    if (found < key) first = next;
    else end = start;
  }
  return undefined;
}

/** A line per thing: `English:name, name, …`. */
function readRobots(text: string): Map<string, string> {
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(
    lines.flatMap((line) => {
      const [english = '', names = ''] = line.split(':');
      return names.split(',').map((name): [string, string] => [termsOfName(name).join(' '), english]);
    }),
  );
}

function read(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8');
}
