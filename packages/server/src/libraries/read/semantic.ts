import { LIMITS } from '@bindery/contract';
import type { LibraryRow } from '../../access/libraries.ts';

/** Which vectors a library has: none if both are null, those of an unknown model if only the model is null. */
export type LibraryVectors = Pick<LibraryRow, 'vectors_model' | 'vectors_dim'>;

/** Whether a search of a library with such vectors would use them now. */
export function isSemantic(
  activeModel: string | null,
  { vectors_model, vectors_dim }: LibraryVectors,
): boolean {
  return activeModel !== null && vectors_model === activeModel && vectors_dim === LIMITS.embedding.dimensions;
}
