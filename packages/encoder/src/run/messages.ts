import type { ModelDescription } from '../description.ts';
import type { EncoderFailure } from '../errors.ts';

/** What a worker is started with. */
export interface WorkerSettings {
  /** The folder of the model itself. */
  folder: string;
  description: ModelDescription;
  /** How many processors one run of the model uses. */
  threads: number;
}

export type EncoderTask =
  | { kind: 'text'; items: readonly string[] }
  | { kind: 'image'; items: readonly Uint8Array[] };

export type ToWorker =
  /** Comes once, first. */
  { type: 'start'; settings: WorkerSettings } | { type: 'run'; task: EncoderTask };

export type FromWorker =
  /** The model is loaded: from now on the time of the task itself counts. */
  | { type: 'running' }
  /** The vectors, one after another. */
  | { type: 'done'; rows: Float32Array }
  | { type: 'failed'; failure: EncoderFailure; message: string; index: number | null };
