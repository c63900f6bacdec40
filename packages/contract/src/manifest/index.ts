export { inputRule } from '../input-rules.ts';
export { vocabularyToken } from '../name-schemas.ts';
export * from './compose.ts';
export { findPathsBelowFiles } from './conflicts.ts';
export * from './defaults.ts';
export * from './digest.ts';
export * from './embedding-text.ts';
export type { ManifestError, ManifestErrorCode, ManifestIssue } from './issues.ts';
export type { ManifestLayout } from './legacy.ts';
export * from './paths.ts';
export * from './schema.ts';
export * from './sidecar.ts';
export { MAX_JSON, parseStrictJson } from './strict-json.ts';
export {
  type ManifestVerdict,
  manifestTooLarge,
  type ValidManifest,
  validateManifest,
  validateManifestValue,
} from './validate.ts';
