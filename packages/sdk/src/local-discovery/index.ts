export { discoverAsset } from './discover-asset.ts';
export {
  curatedName,
  type DiscoveredFolder,
  discoverLibrary,
  refuseEmptyLibrary,
} from './discover-library.ts';
