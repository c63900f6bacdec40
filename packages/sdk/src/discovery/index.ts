export {
  type DiscoveredAsset,
  type DiscoveredLibrary,
  discoverLibrary,
  refuseEmptyLibrary,
} from './discover.ts';
