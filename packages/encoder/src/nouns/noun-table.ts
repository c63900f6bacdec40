import { readFileSync } from 'node:fs';

/** What is known of a noun, as it is written in the table: words with spaces between, those of two joined by `_`. */
export interface NounEntry {
  /** Words for the same thing. */
  synonyms: string;
  /** Words for what it is a kind of, the nearest first. */
  broader: string;
  /** Words that define it, such as `hospital` for an ambulance. */
  definition: string;
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

/** Returns the word under which the table has a word: itself, or its singular; null if it has neither. */
export function nounNamed(word: string): string | null {
  const { starts } = tableOfNouns();
  if (starts.has(word)) return word;
  const singular = word.endsWith('s') ? word.slice(0, -1) : word;
  return starts.has(singular) ? singular : null;
}

/** Returns the noun that two words name together; null if none does. */
export function nounOfTwo(first: string, second: string | undefined): string | null {
  return second !== undefined && tableOfNouns().firstWords.has(first)
    ? nounNamed(`${first}_${second}`)
    : null;
}

/** Returns what is known of a noun of the table. */
export function readNoun(noun: string): NounEntry {
  const { text, starts } = tableOfNouns();
  const start = starts.get(noun) ?? 0;
  const [, synonyms = '', broader = '', definition = ''] = text
    .slice(start, text.indexOf('\n', start))
    .split(':');
  return { synonyms, broader, definition };
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
