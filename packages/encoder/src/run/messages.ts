import type { ModelDescription } from '../description.ts';
import type { EncoderFailure } from '../errors.ts';

/** Start settings of a model's process. */
export interface ModelSettings {
  /** The model's own folder. */
  folder: string;
  description: ModelDescription;
  /** How many processors one run of the model uses. */
  threads: number;
}

export type EncoderTask =
  | { kind: 'text'; items: readonly string[] }
  | { kind: 'image'; items: readonly Uint8Array[] };

export type EncoderOutcome =
  /** The vectors, concatenated. */
  { rows: Float32Array } | { failure: EncoderFailure; message: string; index: number | null };
