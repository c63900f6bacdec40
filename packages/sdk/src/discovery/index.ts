export {
  type DiscoveredAsset,
  type DiscoveredLibrary,
  discoverLibrary,
  refuseEmptyLibrary,
} from './discover.ts';
export { discoverAsset } from './discover-asset.ts';
