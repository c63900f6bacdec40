import type { SemanticReason } from '@bindery/contract';
import { isSemantic, type LibraryVectors } from '../libraries/read/library.ts';

/**
 * Why a search does, or does not, use vectors; the first reason that applies. One library with vectors of the active
 * model is enough.
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
