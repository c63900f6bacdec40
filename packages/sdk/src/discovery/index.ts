/**
 * What a folder becomes, found from the heads of its files. Nothing here knows a file system: it runs in Node over a disk
 * and in a web worker over the files that somebody picked.
 */

export { CurationError } from '../curation/index.ts';
export { TreeError } from '../failures.ts';
export type { LeftOut, LeftOutReason } from '../tree/left-out.ts';
export { discoverFiles } from './discover-files.ts';
export type { DiscoveredAsset, DiscoveredLibrary } from './discovered.ts';
export { draftCuration } from './draft-curation.ts';
export type { ListedFile, ReadPart } from './file-reader.ts';
export { type AssetPreview, previewOf } from './preview.ts';
