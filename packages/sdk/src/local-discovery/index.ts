export { discoverAsset } from './discover-asset.ts';
export { type DiscoveredFolder, discoverLibrary, refuseEmptyLibrary } from './discover-library.ts';
