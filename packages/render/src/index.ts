export { compileMjcf, type GltfIssue, validateGltf } from './check-models.ts';
export { type FileSource, memoryFiles } from './files.ts';
export { DEFAULT_LIMITS, type RenderLimits } from './limits.ts';
export type { Omissions, Shortfall } from './omissions.ts';
export { THUMBNAIL_SIZE } from './picture.ts';
export { createThumbnailPool, type ThumbnailPool, type ThumbnailPoolOptions } from './pool.ts';
export { RENDERER_VERSION, renderThumbnail, type Thumbnail, type ThumbnailRequest } from './thumbnail.ts';
