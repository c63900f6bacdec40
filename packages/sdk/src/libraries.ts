/** Operations on libraries that read or write folders of this machine. */

export type { MadeProp } from '@bindery/formats';
export type { Omissions } from '@bindery/formats/reading/omissions';
export type { AssetCertifier, CertificateReport } from './artifacts/certificates.ts';
export type {
  RenderedThumbnail,
  RenderRequest,
  ThumbnailRenderer,
  ThumbnailReport,
} from './artifacts/thumbnails.ts';
export type { EmbeddedImage, Embedder, EmbeddingModel, EmbeddingReport } from './artifacts/vectors.ts';
export { type CheckReport, checkLibrary } from './check/check.ts';
export type { ModelChecks } from './check/models.ts';
export { sarifOf } from './check/sarif.ts';
export { type CheckCode, CODES, type Problem, type Severity } from './curation/check-codes.ts';
export type { AssetPreview, DiscoveredAsset, DiscoveredLibrary } from './discovery/discovered-library.ts';
export { draftCuration } from './discovery/draft-curation.ts';
export { leftOutReferences } from './discovery/warnings.ts';
export {
  type AddOptions,
  type AddResult,
  addAsset,
  type LocalEditOptions,
  removeAssets,
} from './edit/assets.ts';
export type { EditResult } from './edit/edit-library.ts';
export { type EntryPoints, makeProp } from './edit/make-prop.ts';
export {
  discoverFolder,
  expandRobots,
  type FolderPreview,
  findLocalModel,
  type LocalModel,
  previewFolder,
} from './local-discovery/discover-folder.ts';
export { curatedName, type DiscoveredFolder } from './local-discovery/discover-library.ts';
export type { ExpandedRobots } from './local-discovery/expand-robots.ts';
export type { LostArtifacts } from './push/carry.ts';
export type { Overwritten, PushPlan, RemovedMetadata } from './push/plan.ts';
export type { PushResult } from './push/publish.ts';
export { type FolderPush, pushFolder } from './push/push.ts';
export type { PushOptions } from './push/source.ts';
export * from './reading.ts';
export type { PublishOptions } from './tree/publish-rules.ts';
export { describeRule, type SkippedPath, type SkipReason } from './tree/skipped-paths.ts';
