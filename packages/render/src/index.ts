/** What runs in processes of its own, with the versions of what they make: loads no reader and no simulator. */

export type { Loss, ModelIssue, ModelsToCheck, ModelVerdict, StoredAsset } from '@bindery/formats';
export { type FileSource, memoryFiles } from '@bindery/formats/reading/asset-files';
export { DEFAULT_LIMITS, type RenderLimits, THUMBNAIL_SIZE } from '@bindery/formats/reading/limits';
export type { Omissions, Shortfall } from '@bindery/formats/reading/omissions';
export type { Certification, CertifiedModel } from './certify-asset.ts';
export type { Engines } from './engines/engines.ts';
export { engineVersions, howToInstallEngine } from './engines/run.ts';
export type { AssetToConvert, ConvertedAsset, ProcessLimits } from './process-pools.ts';
export {
  type ConversionPool,
  createConversionPool,
  createModelCheckPool,
  createThumbnailPool,
  type ModelCheckPool,
  type ThumbnailPool,
} from './process-pools.ts';
export type { ModelStatistics } from './statistics.ts';
export type { DescribedPicture, Measurement, Thumbnail, ThumbnailRequest } from './thumbnail.ts';
export { CERTIFIER_VERSION, CONVERTER_VERSION, MUJOCO_VERSION, RENDERER_VERSION } from './versions.ts';
