import { Unrenderable } from '../errors.ts';
import type { FileSource } from '../files.ts';
import type { Loss } from './mechanism.ts';

export type ConversionTarget = 'mjcf' | 'urdf' | 'sdf' | 'glb' | 'usd';

/** A model to convert. */
export interface ConversionRequest {
  readonly kind: string;
  readonly format: string | undefined;
  readonly entry: string;
  readonly files: FileSource;
  readonly target: ConversionTarget;
}

export interface Conversion {
  /** The file of `files` to open. */
  readonly entry: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly losses: readonly Loss[];
  /** What was compared between the model and what it became. */
  readonly proof: readonly ProofLine[];
}

/** One comparison: `measured` is the largest difference, at most `bound` if it holds. */
export interface ProofLine {
  readonly what: string;
  readonly measured: number;
  readonly bound: number;
}

/** Converts a model and proves the result. @throws Unrenderable for a model that cannot be converted. */
export async function convertModel({ kind, target }: ConversionRequest): Promise<Conversion> {
  throw new Unrenderable(`cannot convert ${kind} to ${target}`);
}
