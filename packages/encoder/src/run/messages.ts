import type { ModelDescription } from '../description.ts';
import { EncoderError, type EncoderFailure } from '../errors.ts';

/** Start settings of a model's process. */
export interface ModelSettings {
  /** The model's own folder. */
  folder: string;
  description: ModelDescription;
  /** How many processors one run of the model uses. */
  threads: number;
}

export type EncoderTask =
  | { kind: 'text' | 'query'; items: readonly string[] }
  | { kind: 'image'; items: readonly Uint8Array[] }
  /** Into how many pieces the tokenizer cuts each text, in place of a vector. */
  | { kind: 'pieces'; items: readonly string[] };

export type EncoderOutcome =
  /** The vectors, concatenated. */
  { rows: Float32Array } | { failure: EncoderFailure; message: string; index: number | null };

/** A row shorter than this has no meaningful direction. */
const SHORTEST = 1e-12;

/** An output of a model. */
export interface ModelAnswer {
  type: string;
  dims: readonly number[];
  data: unknown;
}

/**
 * Scales each row of a model's output to length 1. Throws `EncoderError` (`output`) if a row is not finite or has no
 * direction, or if the output is not `count` rows of `dim` float32 numbers.
 */
export function normalizeRows(answer: ModelAnswer | undefined, count: number, dim: number): Float32Array {
  if (answer === undefined) throw new EncoderError('output', 'The model has no output of that name.');
  const { type, dims, data } = answer;
  if (!(data instanceof Float32Array)) {
    throw new EncoderError('output', `The model returns ${type}, not float32.`);
  }
  if (dims.length !== 2 || dims[0] !== count || dims[1] !== dim || data.length !== count * dim) {
    throw new EncoderError('output', `The model returns ${dims.join(' × ')} numbers, not ${count} × ${dim}.`);
  }
  const rows = new Float32Array(data.length);
  for (let index = 0; index < count; index++) {
    const length = lengthOf(data, index * dim, dim);
    if (!Number.isFinite(length) || length < SHORTEST) {
      throw new EncoderError('output', 'The model returns a vector of length zero.', { index });
    }
    for (let at = index * dim; at < (index + 1) * dim; at++) rows[at] = (data[at] as number) / length;
  }
  return rows;
}

function lengthOf(numbers: Float32Array, start: number, dim: number): number {
  let square = 0;
  for (let at = start; at < start + dim; at++) square += (numbers[at] as number) ** 2;
  return Math.sqrt(square);
}
