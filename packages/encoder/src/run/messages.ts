import type { ModelDescription } from '../description.ts';
import type { EncoderFailure } from '../errors.ts';

/** What the process of a model is started with. */
export interface ModelSettings {
  /** The folder of the model itself. */
  folder: string;
  description: ModelDescription;
  /** How many processors one run of the model uses. */
  threads: number;
}

export type EncoderTask =
  | { kind: 'text'; items: readonly string[] }
  | { kind: 'image'; items: readonly Uint8Array[] };

export type EncoderOutcome =
  /** The vectors, one after another. */
  { rows: Float32Array } | { failure: EncoderFailure; message: string; index: number | null };
