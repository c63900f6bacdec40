import { LIMITS, VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH, VECTORS_SCHEMA } from '@bindery/contract';

export const MODEL = 'open_clip/ViT-B-16-SigLIP2/webli';

export const DIMENSIONS = LIMITS.embedding.dimensions;

/** The vectors of one asset; a side that it lacks is null or absent. */
export interface AssetVectors {
  image?: Float32Array | null;
  text?: Float32Array | null;
}

/** A vector of length 1 with the given first numbers, which must not be longer than that; the last number fills up. */
export function vectorOf(...first: number[]): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  vector.set(first);
  vector[DIMENSIONS - 1] = Math.sqrt(Math.max(0, 1 - first.reduce((sum, value) => sum + value ** 2, 0)));
  return vector;
}

/** A vector of length 1 in a direction that depends on the seed alone. */
export function seededVector(seed: number): Float32Array {
  let state = seed * 2_654_435_761 + 1;
  const vector = Float32Array.from({ length: DIMENSIONS }, () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return (state >>> 0) / 2 ** 32 - 0.5;
  });
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** Both files of a sidecar, by path. */
export function sidecarFiles(
  vectors: Record<string, AssetVectors>,
  { model = MODEL }: { model?: string | null } = {},
): Record<string, Uint8Array> {
  const rows: Float32Array[] = [];
  const place = (row: Float32Array | null | undefined) => (row ? rows.push(row) - 1 : null);
  const items = Object.entries(vectors).map(([id, { image, text }]) => ({
    id,
    image: place(image),
    text: place(text),
  }));
  const document = {
    schema: VECTORS_SCHEMA,
    ...(model === null ? {} : { model }),
    dim: DIMENSIONS,
    items,
  };
  return {
    [VECTORS_INDEX_PATH]: Buffer.from(JSON.stringify(document)),
    // A copy has memory of its own, for tests that write into it.
    [VECTORS_MATRIX_PATH]: Uint8Array.from(Buffer.concat(rows.map((row) => Buffer.from(row.buffer)))),
  };
}
