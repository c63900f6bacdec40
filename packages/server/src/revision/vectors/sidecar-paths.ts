import {
  LEGACY_VECTORS_INDEX_PATH,
  LEGACY_VECTORS_MATRIX_PATH,
  type ManifestLayout,
  VECTORS_INDEX_PATH,
  VECTORS_MATRIX_PATH,
} from '@bindery/contract';

/** The paths of the sidecar in libraries of either layout. */
export const SIDECAR_PATHS: Readonly<Record<ManifestLayout, { document: string; matrix: string }>> = {
  current: { document: VECTORS_INDEX_PATH, matrix: VECTORS_MATRIX_PATH },
  legacy: { document: LEGACY_VECTORS_INDEX_PATH, matrix: LEGACY_VECTORS_MATRIX_PATH },
};
