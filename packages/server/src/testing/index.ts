/*
 * What benchmarks need beside the public interface: data written without a service, and parts of the service alone.
 */
export { Client, createMember, pathOf } from './actors.ts';
export { FILE_COUNT, generateFile, generateManifest } from './generated-manifest.ts';
export {
  CONTENT,
  DIMENSIONS,
  generateLibrary,
  generateMatrix,
  rotateDimensions,
} from './generated-vectors.ts';
export { LibrariesInMemory, nearestSearch } from './search.ts';
export {
  OWNER,
  seedDataFolder,
  seedLibrary,
} from './seed.ts';
