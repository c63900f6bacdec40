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
  for (const word of wordsIn(text)) addPieces(sum, table, piecesOfWord(table, word));
  const length = lengthOf(sum);
  return length === 0 ? null : sum.map((value) => value / length);
}

/** A word as the sum of vectors of the table, each multiplied by its share. */
interface PieceSum {
  pieces: readonly number[];
  share: number;
}

function addPieces(sum: Float32Array, { numbers, scales }: WordVectors, { pieces, share }: PieceSum): void {
  for (const piece of pieces) {
    const factor = share * (scales[piece] as number);
    const start = piece * DIMENSIONS;
    for (let at = 0; at < DIMENSIONS; at++)
      sum[at] = (sum[at] as number) + factor * (numbers[start + at] as number);
  }
}

/** Pieces say little of what a noun is, so what is known of it stands for them. */
function piecesOfWord({ pieces }: WordVectors, word: string): PieceSum {
  const own = pieces.split(word);
  const meant = own.length > 1 ? wordsOfNoun(word).flatMap((one) => pieces.split(one)) : [];
  return meant.length > 0 ? { pieces: meant, share: 1 / Math.sqrt(meant.length) } : { pieces: own, share: 1 };
}

export interface WordSum extends PieceSum {
  /** The length of its vector; 0 if nothing is known of it. */
  length: number;
}

export function wordSum(table: WordVectors, word: string): WordSum {
  const sum = piecesOfWord(table, word);
  return { ...sum, length: lengthOf(wordVector(table, sum)) };
}

export function wordVector(table: WordVectors, word: PieceSum): Float32Array {
  const sum = new Float32Array(DIMENSIONS);
  addPieces(sum, table, word);
  return sum;
}

function lengthOf(vector: Float32Array): number {
  let squares = 0;
  for (let at = 0; at < vector.length; at++) squares += (vector[at] as number) ** 2;
  return Math.sqrt(squares);
}

/** Returns the words that say what a noun is; none if it is not known. */
function wordsOfNoun(word: string): string[] {
  const noun = nounNamed(word);
  if (noun === null) return [];
  const { synonyms, broader, definition } = readNoun(noun);
  return `${synonyms} ${broader} ${definition}`.split(/[ _]+/).filter((one) => one !== '');
}
