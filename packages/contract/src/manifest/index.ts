export * from './digest.ts';
export type { ManifestError, ManifestErrorCode, ManifestIssue } from './issues.ts';
export * from './paths.ts';
export * from './schema.ts';
export { judgeManifest, type ManifestVerdict, type ValidManifest, validateManifest } from './validate.ts';
