// biome-ignore lint/style/noRestrictedImports: a table of this package, which workers read as well
import { readFileSync } from 'node:fs';

/** What is known of a word: others for the same thing, and those for what it is a kind of. */
interface Noun {
  synonyms: readonly string[];
  broader: readonly string[];
}

/** A line per word, sorted; see `scripts/english-nouns.ts`. */
let lines: { text: string; starts: Uint32Array } | undefined;

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
  lines ??= read();
  const { text, starts } = lines;
  let [first, end] = [0, starts.length];
  while (first < end) {
    const middle = (first + end) >>> 1;
    const start = starts[middle] as number;
    const [own = '', synonyms = '', broader = ''] = text.slice(start, text.indexOf('\n', start)).split(':');
    if (own === word) return { synonyms: listOf(synonyms), broader: listOf(broader) };
    if (own < word) first = middle + 1;
    else end = middle;
  }
  return null;
}

function listOf(words: string): string[] {
  return words === '' ? [] : words.split(' ');
}

function read() {
  const text = readFileSync(new URL('./english-nouns.txt', import.meta.url), 'latin1');
  const starts: number[] = [];
  for (let start = 0; start < text.length; start = text.indexOf('\n', start) + 1) starts.push(start);
  return { text, starts: Uint32Array.from(starts) };
}
