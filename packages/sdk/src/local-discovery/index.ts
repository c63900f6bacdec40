export { discoverAsset } from './discover-asset.ts';
export {
  curatedName,
  type DiscoveredFolder,
  discoverLibrary,
  type FolderPreview,
  previewFolder,
  refuseEmptyLibrary,
} from './discover-library.ts';
