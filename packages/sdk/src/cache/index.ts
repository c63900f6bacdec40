export { cacheFolder } from '../tree/cache-folder.ts';
export {
  type CacheInfo,
  type CachePruning,
  type CacheVerification,
  cacheInfo,
  type MaintenanceOptions,
  pruneCache,
  verifyCache,
} from './maintenance.ts';
export { ObjectCache } from './object-cache.ts';
