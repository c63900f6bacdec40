import { LIMITS, type SemanticReason } from '@bindery/contract';
import type { LibraryRow } from '../access/libraries.ts';

/** Which vectors a library has: none where both are null, those of a forgotten model where only `model` is. */
export type LibraryVectors = Pick<LibraryRow, 'vectors_model' | 'vectors_dim'>;

/**
 * Why a search is, or is not, by vectors as well; the first reason that applies. One library with vectors of the
 * active model is enough.
 */
export function semanticReason(
  query: string,
  activeModel: string | null,
  libraries: readonly LibraryVectors[],
): SemanticReason {
  if (query === '') return 'no-query';
  if (activeModel === null) return 'encoder-unavailable';
  if (libraries.every(({ vectors_dim }) => vectors_dim === null)) return 'no-sidecar';
  return libraries.some((library) => isSemantic(activeModel, library)) ? 'on' : 'model-mismatch';
}

/** Whether a search of a library with such vectors would run by them now. */
export function isSemantic(
  activeModel: string | null,
  { vectors_model, vectors_dim }: LibraryVectors,
): boolean {
  return activeModel !== null && vectors_model === activeModel && vectors_dim === LIMITS.embedding.dimensions;
}
