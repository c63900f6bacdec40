export { CurationError, type CurationProblem } from './curation-error.ts';
export { type ParsedCuration, parseCuration } from './parse.ts';
export type { CuratedAsset, Curation } from './schema.ts';
export { CURATION_BYTES, withoutAssets } from './without-assets.ts';
