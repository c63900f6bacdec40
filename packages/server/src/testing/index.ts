/*
 * What benchmarks need beside the public interface: data written without a service, and parts of the service alone.
 */
export type { Database } from '../database/schema.ts';
export { Client, createMember, pathOf } from './actors.ts';
export { BUSY_PROJECT, FULL_SIZE, fillCollaboration, NAMESPACE, SPREAD_NOTE } from './collaboration.ts';
export { FILE_COUNT, generateFile, generateManifest } from './generated-manifest.ts';
export {
  assetId,
  CONTENT,
  DIMENSIONS,
  exactNearest,
  generateLibrary,
  generateMatrix,
  rotateDimensions,
} from './generated-vectors.ts';
export {
  keywordSearch,
  LibrariesInMemory,
  nearestSearch,
} from './search.ts';
export {
  OWNER,
  seedDataFolder,
  seedLibrary,
} from './seed.ts';
