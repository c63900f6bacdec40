export {
  CERTIFIER_VERSION,
  type Certification,
  type CertifiedModel,
  certifyAsset,
  MUJOCO_VERSION,
} from './certify-asset.ts';
export type { ModelIssue, ModelsToCheck } from './check-models.ts';
export type { Loss } from './convert/mechanism.ts';
export { CONVERTER_VERSION, convertAsset } from './convert-asset.ts';
export { type FileSource, memoryFiles } from './files.ts';
export { DEFAULT_LIMITS, type RenderLimits } from './limits.ts';
export type { Omissions, Shortfall } from './omissions.ts';
export { THUMBNAIL_SIZE } from './picture.ts';
export type { AssetToConvert, ConvertedAsset, ProcessLimits, StoredAsset } from './process-pools.ts';
export {
  type ConversionPool,
  createConversionPool,
  createModelCheckPool,
  createThumbnailPool,
  type ModelCheckPool,
  type ModelVerdict,
  type ThumbnailPool,
} from './process-pools.ts';
export type { ModelStatistics } from './statistics.ts';
export {
  describeImage,
  type Measurement,
  RENDERER_VERSION,
  renderThumbnail,
  type Thumbnail,
  type ThumbnailRequest,
} from './thumbnail.ts';
