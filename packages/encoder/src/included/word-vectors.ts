import { readFile } from 'node:fs/promises';
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

/** Returns the sum of the vectors of a text's pieces, scaled to length 1; null if none of its words is known. */
export function vectorOf({ pieces, numbers, scales }: WordVectors, text: string): Float32Array | null {
  const sum = new Float32Array(DIMENSIONS);
  for (const word of wordsIn(text)) {
    for (const piece of pieces.split(word)) {
      const scale = scales[piece] as number;
      const start = piece * DIMENSIONS;
      for (let at = 0; at < DIMENSIONS; at++)
        sum[at] = (sum[at] as number) + scale * (numbers[start + at] as number);
    }
  }
  const length = Math.hypot(...sum);
  return length === 0 ? null : sum.map((value) => value / length);
}
