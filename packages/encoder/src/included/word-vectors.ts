import { readFile } from 'node:fs/promises';
import { nounNamed, readNoun } from '../nouns/noun-table.ts';
import { Pieces, wordsIn } from './pieces.ts';

/** How many numbers a vector of the table has. */
const DIMENSIONS = 256;

/** The vectors of pieces of words: the sum of those of a text says what it means. */
export interface WordVectors {
  pieces: Pieces;
  /** Each vector in whole numbers, one after another. */
  numbers: Int8Array;
  /** What the numbers of each vector are multiplied by. */
  scales: Float32Array;
}

let table: Promise<WordVectors> | undefined;

/** Returns the table that `scripts/word-vectors.ts` wrote, which is read once. */
export function wordVectors(): Promise<WordVectors> {
  table ??= readTable();
  return table;
}

async function readTable(): Promise<WordVectors> {
  const [vocabulary, { buffer, byteOffset, byteLength }] = await Promise.all([
    readFile(new URL('pieces.txt', import.meta.url), 'latin1'),
    readFile(new URL('word-vectors.bin', import.meta.url)),
  ]);
  const pieces = vocabulary.trimEnd().split('\n');
  const bytes = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
  return {
    pieces: new Pieces(pieces),
    scales: new Float32Array(bytes, 0, pieces.length),
    numbers: new Int8Array(bytes, pieces.length * Float32Array.BYTES_PER_ELEMENT, pieces.length * DIMENSIONS),
  };
}

/** Returns the sum of the vectors of a text's words, scaled to length 1; null if it has none that is known. */
export function vectorOf(table: WordVectors, text: string): Float32Array | null {
  const sum = new Float32Array(DIMENSIONS);
  for (const word of wordsIn(text)) addWord(sum, table, word);
  const length = Math.hypot(...sum);
  return length === 0 ? null : sum.map((value) => value / length);
}

/** Adds the vector of a word. Pieces say little of what a noun is, so what is known of it stands for them. */
function addWord(sum: Float32Array, { pieces, numbers, scales }: WordVectors, word: string): void {
  const own = pieces.split(word);
  const meant = own.length > 1 ? wordsOfNoun(word).flatMap((one) => pieces.split(one)) : [];
  const added = meant.length > 0 ? meant : own;
  const share = meant.length > 0 ? 1 / Math.sqrt(meant.length) : 1;
  for (const piece of added) {
    const factor = share * (scales[piece] as number);
    const start = piece * DIMENSIONS;
    for (let at = 0; at < DIMENSIONS; at++)
      sum[at] = (sum[at] as number) + factor * (numbers[start + at] as number);
  }
}

/** Returns the words that say what a noun is; none if it is not known. */
function wordsOfNoun(word: string): string[] {
  const noun = nounNamed(word);
  if (noun === null) return [];
  const { synonyms, broader, definition } = readNoun(noun);
  return `${synonyms} ${broader} ${definition}`.split(/[ _]+/).filter((one) => one !== '');
}
