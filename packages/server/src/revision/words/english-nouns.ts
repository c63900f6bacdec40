// biome-ignore lint/style/noRestrictedImports: a table of this package, which workers read as well
import { readFileSync } from 'node:fs';

/** What is known of a word: others for the same thing, and those for what it is a kind of. */
interface Noun {
  synonyms: readonly string[];
  broader: readonly string[];
}

/** A line per word, and where it starts; see `scripts/english-nouns.ts`. */
interface Table {
  text: string;
  starts: ReadonlyMap<string, number>;
}

let table: Table | undefined;

/** Whether a word is English, so that it is meant as it is written. */
export function isEnglish(word: string): boolean {
  return nounOf(word) !== null;
}

/** Returns the words under which a text is also found, because it names a kind of what they mean: `animal` for a fox. */
export function broaderWords(words: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (const [at, word] of words.entries()) {
    for (const noun of [`${word}_${words[at + 1]}`, word]) {
      const { synonyms, broader } = nounOf(noun) ?? UNKNOWN;
      for (const other of [...synonyms.flatMap((one) => one.split('_')), ...broader]) found.add(other);
    }
  }
  for (const word of words) found.delete(word);
  return found;
}

const UNKNOWN: Noun = { synonyms: [], broader: [] };

function nounOf(word: string): Noun | null {
  return find(word) ?? (word.endsWith('s') ? find(word.slice(0, -1)) : null);
}

function find(word: string): Noun | null {
  table ??= read();
  const start = table.starts.get(word);
  if (start === undefined) return null;
  const line = table.text.slice(start, table.text.indexOf('\n', start));
  const [synonyms = [], broader = []] = line
    .split(':')
    .slice(1)
    .map((words) => (words === '' ? [] : words.split(' ')));
  return { synonyms, broader };
}

function read(): Table {
  const text = readFileSync(new URL('./english-nouns.txt', import.meta.url), 'latin1');
  const starts = new Map<string, number>();
  for (let start = 0; start < text.length; start = text.indexOf('\n', start) + 1)
    starts.set(text.slice(start, text.indexOf(':', start)), start);
  return { text, starts };
}
