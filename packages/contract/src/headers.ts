/** Response header of a library's and an asset's detail: the lowercase hex SHA-256 of the manifest that they are of. */
export const MANIFEST_HEADER = 'bindery-manifest';

/** Response header of a library's detail: the size of its manifest in bytes. */
export const MANIFEST_SIZE_HEADER = 'bindery-manifest-size';

/** Response header of a converted asset: what the conversion left out or changed, such as `tendon, equality`. */
export const LOSSES_HEADER = 'bindery-losses';

/** Why a search was, or was not, semantic, and whether one of a library would be; sent in this response header. */
export const SEMANTIC_HEADER = 'bindery-semantic';
export const SEMANTIC_REASONS = [
  'no-query',
  'encoder-unavailable',
  'no-sidecar',
  'model-mismatch',
  // Only by relevance: the model has not learned the words of the query, or does not read their script.
  'unknown-words',
  'on',
] as const;
export type SemanticReason = (typeof SEMANTIC_REASONS)[number];
