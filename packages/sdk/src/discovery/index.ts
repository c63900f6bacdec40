/**
 * Determines what a folder becomes as a library, from parts of its files. Nothing here depends on a file system: it
 * runs in Node on a disk and in a web worker on files that a user picked.
 */

export { CurationError } from '../curation/index.ts';
export { TreeError } from '../failures.ts';
export type { SkippedPath, SkipReason } from '../tree/skipped-paths.ts';
export { discoverFiles } from './discover-files.ts';
export type { DiscoveredAsset, DiscoveredLibrary } from './discovered-library.ts';
export { draftCuration } from './draft-curation.ts';
export type { ListedFile, ReadPart } from './file-reader.ts';
export { type AssetPreview, previewOf } from './preview.ts';
