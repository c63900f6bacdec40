/** Operations on libraries that read or write folders of this machine. */

export type { EmbeddedImage, Embedder, EmbeddingModel } from './artifacts/embedder.ts';
export type { EmbeddingReport } from './artifacts/embedding-report.ts';
export type {
  RenderedThumbnail,
  RenderRequest,
  ThumbnailOmissions,
  ThumbnailRenderer,
} from './artifacts/thumbnail-renderer.ts';
export type { ThumbnailReport } from './artifacts/thumbnails.ts';
export { type CheckReport, checkLibrary, type ModelChecks } from './check/check.ts';
export { type CheckCode, CODES, type Problem, type Severity } from './check/codes.ts';
export { sarifOf } from './check/sarif.ts';
export { leftOutReferences } from './discovery/folder-warnings.ts';
export {
  type AssetPreview,
  type DiscoveredAsset,
  type DiscoveredLibrary,
  draftCuration,
} from './discovery/index.ts';
export { type AddOptions, type AddResult, addAsset, type LocalEditOptions } from './edit/add-asset.ts';
export type { EditResult } from './edit/edit-library.ts';
export { removeAssets } from './edit/remove-assets.ts';
export {
  curatedName,
  type DiscoveredFolder,
  discoverAsset,
  discoverLibrary,
  type FolderPreview,
  previewFolder,
} from './local-discovery/index.ts';
export type { LostArtifacts } from './push/carry-artifacts.ts';
export { type FolderPush, pushFolder } from './push/push.ts';
export type { PushOptions } from './push/push-options.ts';
export type { PushPlan } from './push/push-plan.ts';
export type { PushResult } from './push/push-result.ts';
export type { RemovedMetadata } from './push/removed-metadata.ts';
export * from './reading.ts';
export type { PublishOptions } from './tree/publish-rules.ts';
export { describeRule, type SkippedPath, type SkipReason } from './tree/skipped-paths.ts';
