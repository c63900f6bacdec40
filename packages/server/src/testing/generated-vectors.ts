import { hash } from 'node:crypto';
import {
  LIMITS,
  MANIFEST_SCHEMA,
  type Manifest,
  VECTORS_INDEX_PATH,
  VECTORS_MATRIX_PATH,
  VECTORS_SCHEMA,
} from '@bindery/contract';

export const DIMENSIONS = LIMITS.embedding.dimensions;
const THEMES = 500;

/** The distance of a vector from its theme, relative to the theme's length. */
const SPREAD = 1.2;

/** Generates unit-length rows clustered around themes, as image embeddings are; deterministic for a seed. */
export function generateMatrix(rows: number, seed = 1): Float32Array {
  const random = gaussian(seed);
  const themes = Float32Array.from({ length: THEMES * DIMENSIONS }, random);
  const matrix = new Float32Array(rows * DIMENSIONS);
  for (let row = 0; row < rows; row++) {
    const theme = (row % THEMES) * DIMENSIONS;
    const start = row * DIMENSIONS;
    let square = 0;
    for (let at = 0; at < DIMENSIONS; at++) {
      const value = (themes[theme + at] as number) + SPREAD * random();
      matrix[start + at] = value;
      square += value * value;
    }
    const length = Math.sqrt(square);
    for (let at = start; at < start + DIMENSIONS; at++) matrix[at] = (matrix[at] as number) / length;
  }
  return matrix;
}

/** Rotates the numbers in each row: distances between rows stay the same, but they are elsewhere in space. */
export function rotateDimensions(matrix: Float32Array, by: number): Float32Array {
  const other = new Float32Array(matrix.length);
  for (let start = 0; start < matrix.length; start += DIMENSIONS) {
    const row = matrix.subarray(start, start + DIMENSIONS);
    other.set(row.subarray(by), start);
    other.set(row.subarray(0, by), start + DIMENSIONS - by);
  }
  return other;
}

/** Returns the id of the asset for a row; ids sort in the order of rows. */
function assetId(row: number): string {
  return `a${String(row).padStart(6, '0')}`;
}

const NOUNS = 'arm hand gripper chair table lamp robot drone car tree house mug'.split(' ');
const COLORS = 'red green blue white black yellow grey'.split(' ');

/** The content of every file in a generated library. */
export const CONTENT: Uint8Array = Buffer.from('x');

/** Returns a manifest of assets with short texts and one file each, and the sidecar's document. */
export function generateLibrary(assets: number, model: string): { manifest: Manifest; document: Buffer } {
  const sha256 = hash('sha256', CONTENT);
  const items = Array.from({ length: assets }, (_, row) => ({ id: assetId(row), image: row, text: null }));
  return {
    manifest: {
      schema: MANIFEST_SCHEMA,
      generated: [VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH],
      assets: items.map(({ id }, row) => ({
        id,
        title: `${COLORS[row % COLORS.length]} ${NOUNS[row % NOUNS.length]}`,
        kind: 'mesh',
        files: [{ path: `${id}.stl`, size: CONTENT.length, sha256 }],
      })),
    },
    document: Buffer.from(JSON.stringify({ schema: VECTORS_SCHEMA, model, dim: DIMENSIONS, items })),
  };
}

/** The sum of four uniform random numbers is close enough to normal. */
function gaussian(seed: number): () => number {
  let state = seed;
  const even = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 8) / 2 ** 24;
  };
  return () => even() + even() + even() + even() - 2;
}
