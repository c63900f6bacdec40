export { cacheFolder } from '../tree/cache-folder.ts';
export { ObjectCache } from './object-cache.ts';
export {
  type CacheInfo,
  type CachePruning,
  type CacheVerification,
  cacheInfo,
  pruneCache,
  type UpkeepOptions,
  verifyCache,
} from './upkeep.ts';
