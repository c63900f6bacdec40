export type { ProcessBounds } from './bounded-processes.ts';
export type { ModelIssue, ModelsToCheck } from './check-models.ts';
export { createModelCheckPool, type ModelCheckPool, type ModelVerdict } from './check-pool.ts';
export { type FileSource, memoryFiles } from './files.ts';
export { DEFAULT_LIMITS, type RenderLimits } from './limits.ts';
export type { Omissions, Shortfall } from './omissions.ts';
export { THUMBNAIL_SIZE } from './picture.ts';
export { createThumbnailPool, type ThumbnailPool } from './pool.ts';
export { RENDERER_VERSION, renderThumbnail, type Thumbnail, type ThumbnailRequest } from './thumbnail.ts';
