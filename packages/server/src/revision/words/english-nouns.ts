// biome-ignore lint/style/noRestrictedImports: a table of this package, which workers read as well
import { readFileSync } from 'node:fs';
import { termOf } from './text-words.ts';

/** What is known of a noun, as terms. */
export interface Noun {
  /** Words for the same thing, and for what it is a kind of. */
  broader: readonly string[];
  /** Words that define it, such as `hospital` for an ambulance. */
  definition: readonly string[];
}

/**
 * A line per word, and where it starts: `word:synonyms:broader words:words that define it`. Those of English come from
 * WordNet by `scripts/english-nouns.ts`, those of robots and devices are written by hand.
 */
interface Table {
  text: string;
  starts: ReadonlyMap<string, number>;
  /** The first words of those that consist of two. */
  firstWords: ReadonlySet<string>;
}

let table: Table | undefined;
const nouns = new Map<string, Noun>();

/** Whether a word is English, so that it is meant as it is written. */
export function isEnglish(word: string): boolean {
  return entryOf(word) !== null;
}

/** Returns the nouns that words name one after another, alone or two together, and those that make up a compound. */
export function nounsIn(words: readonly string[]): Noun[] {
  const named: Noun[] = [];
  const { firstWords } = tableOfNouns();
  for (const [at, word] of words.entries()) {
    named.push(...nounsOfWord(word));
    const next = words[at + 1];
    const together = next !== undefined && firstWords.has(word) ? entryOf(`${word}_${next}`) : null;
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
  const entry = entryOf(word);
  if (entry !== null) return [nounAt(entry)];
  const compound = splitCompound(word);
  if (compound === null) return [];
  const parts = { broader: compound.map(termOf), definition: [] };
  return [parts, ...[compound.join('_'), compound[1]].flatMap((name) => entryOf(name) ?? []).map(nounAt)];
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

/** Returns the word under which the table has a word: itself, or its singular. */
function entryOf(word: string): string | null {
  const { starts } = tableOfNouns();
  if (starts.has(word)) return word;
  const singular = word.endsWith('s') ? word.slice(0, -1) : word;
  return starts.has(singular) ? singular : null;
}

function nounAt(entry: string): Noun {
  const known = nouns.get(entry);
  if (known !== undefined) return known;
  const { text, starts } = tableOfNouns();
  const start = starts.get(entry) ?? 0;
  const [, synonyms = '', broader = '', definition = ''] = text
    .slice(start, text.indexOf('\n', start))
    .split(':');
  const noun = { broader: termsOf(`${synonyms} ${broader}`), definition: termsOf(definition) };
  nouns.set(entry, noun);
  return noun;
}

function termsOf(words: string): string[] {
  return [...new Set((words.match(/[a-z]+/g) ?? []).map(termOf))];
}

function tableOfNouns(): Table {
  table ??= readTable();
  return table;
}

function readTable(): Table {
  // What is last counts: a robot with the name of something else is a robot.
  const text = ['english-nouns.txt', 'robot-names.txt']
    .map((file) => readFileSync(new URL(file, import.meta.url), 'latin1'))
    .join('');
  const starts = new Map<string, number>();
  const firstWords = new Set<string>();
  for (let start = 0; start < text.length; start = text.indexOf('\n', start) + 1) {
    const noun = text.slice(start, text.indexOf(':', start));
    starts.set(noun, start);
    const end = noun.indexOf('_');
    if (end > 0) firstWords.add(noun.slice(0, end));
  }
  return { text, starts, firstWords };
}
