/**
 * Determines what a folder becomes as a library, from parts of its files. Nothing here depends on a file system: it
 * runs in Node on a disk and in a web worker on files that a user picked.
 */

export { CurationError, TreeError } from '../failures.ts';
export { discoverFiles } from './discover.ts';
export { type AssetPreview, type DiscoveredLibrary, previewOf } from './discovered-library.ts';
export type { ListedFile, ReadPart } from './file-reader.ts';
