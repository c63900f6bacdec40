export type { ProcessLimits } from './asset-process-pool.ts';
export type { ModelIssue, ModelsToCheck } from './check-models.ts';
export { type FileSource, memoryFiles } from './files.ts';
export { DEFAULT_LIMITS, type RenderLimits } from './limits.ts';
export { createModelCheckPool, type ModelCheckPool, type ModelVerdict } from './model-check-pool.ts';
export type { Omissions, Shortfall } from './omissions.ts';
export { THUMBNAIL_SIZE } from './picture.ts';
export { RENDERER_VERSION, renderThumbnail, type Thumbnail, type ThumbnailRequest } from './thumbnail.ts';
export { createThumbnailPool, type ThumbnailPool } from './thumbnail-pool.ts';
