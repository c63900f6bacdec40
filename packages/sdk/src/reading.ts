/** Operations that only read libraries, without loading what writing them needs. */

export type { CreditsOptions, WrittenCredits } from './credits/write-credits.ts';
export { type ExportOptions, type ExportResult, exportLibrary } from './export/export-library.ts';
export { readCertificates } from './library/certificates.ts';
export { type AssetInfo, assetInfo, type LibraryInfo, libraryInfo } from './library/info.ts';
export { digestOf, filesOf, findAsset } from './library/manifest.ts';
export { type RemoteOptions, readRemoteLibrary } from './library/manifest-cache.ts';
export { readProposedChanges } from './library/read-changes.ts';
export { downloadFiles, downloadManifest, type RemoteLibrary, readHead } from './library/read-library.ts';
export { readVersions, type Version } from './library/read-versions.ts';
export { searchAssets } from './library/search.ts';
export {
  type DescribedSubject,
  findSimilarAssets,
  type SimilarOptions,
} from './library/similar.ts';
export { openMirror } from './mirror/mirror.ts';
export { composeScene, type SceneAsset, type SceneResult } from './pull/compose-scene.ts';
export { type CachedAsset, placeInCache } from './pull/place-in-cache.ts';
export { type PullOptions, type PullResult, pullLibrary } from './pull/pull.ts';
export {
  type AssetConverter,
  type ConvertedPull,
  pullConverted,
} from './pull/pull-converted.ts';
export { pullProposed } from './pull/pull-proposed.ts';
export { type Selection, selectArtifacts, selectAssets, selectFiles } from './pull/select-files.ts';
export { type StatOptions, type StatResult, statLibrary } from './stat/stat.ts';
export { cacheFolder, stateFolder } from './tree/cache-folder.ts';
export { trustedPart } from './tree/names.ts';
export type { ProgressListener, WorkProgress, WorkTotal } from './tree/progress.ts';
