import { nounNamed, nounOfTwo, readNoun } from '@bindery/encoder/nouns';
import { termOf } from './text-words.ts';

/** What is known of a noun, as terms. */
export interface Noun {
  /** Words for the same thing, and for what it is a kind of. */
  broader: readonly string[];
  /** Words that define it, such as `hospital` for an ambulance. */
  definition: readonly string[];
}

const nouns = new Map<string, Noun>();

/** Whether a word is English, so that it is meant as it is written. */
export function isEnglish(word: string): boolean {
  return nounNamed(word) !== null;
}

/** Whether English words end in a noun of which it is known what it means. */
export function isThing(words: readonly string[]): boolean {
  const last = nounNamed(words.at(-1) ?? '');
  if (last === null || !words.every(isEnglish)) return false;
  const { broader, definition } = nounAt(last);
  return broader.length + definition.length > 0;
}

/** Returns the nouns that words name one after another, alone or two together, and those that make up a compound. */
export function nounsIn(words: readonly string[]): Noun[] {
  const named: Noun[] = [];
  for (const [at, word] of words.entries()) {
    named.push(...nounsOfWord(word));
    const together = nounOfTwo(word, words[at + 1]);
    if (together !== null) named.push(nounAt(together));
  }
  return named;
}

/** At most this many words are remembered with their nouns. */
const MAX_REMEMBERED = 100_000;
const remembered = new Map<string, readonly Noun[]>();

function nounsOfWord(word: string): readonly Noun[] {
  let found = remembered.get(word);
  if (found === undefined) {
    found = findNouns(word);
    if (remembered.size < MAX_REMEMBERED) remembered.set(word, found);
  }
  return found;
}

function findNouns(word: string): readonly Noun[] {
  const entry = nounNamed(word);
  if (entry !== null) return [nounAt(entry)];
  const compound = splitCompound(word);
  if (compound === null) return [];
  const parts = { broader: compound.map(termOf), definition: [] };
  return [parts, ...[compound.join('_'), compound[1]].flatMap((name) => nounNamed(name) ?? []).map(nounAt)];
}

/** The shortest part of a compound: shorter ones are endings as often as words. */
const MIN_PART = 3;

/** What ends in these is derived from one word. */
const DERIVED = /(?:ed|ing|ies|ions?|less|able|ly|ous)$/;

/** Returns the two English words that a word consists of, as in `firehydrant`; null if it is no compound. */
export function splitCompound(word: string): [string, string] | null {
  if (DERIVED.test(word)) return null;
  for (let at = MIN_PART; at <= word.length - MIN_PART; at++) {
    const [first, last] = [word.slice(0, at), word.slice(at)];
    if (isEnglish(first) && isEnglish(last)) return [first, last];
  }
  return null;
}

function nounAt(entry: string): Noun {
  const known = nouns.get(entry);
  if (known !== undefined) return known;
  const { synonyms, broader, definition } = readNoun(entry);
  const noun = { broader: termsOf(`${synonyms} ${broader}`), definition: termsOf(definition) };
  nouns.set(entry, noun);
  return noun;
}

function termsOf(words: string): string[] {
  return [...new Set((words.match(/[a-z]+/g) ?? []).map(termOf))];
}
