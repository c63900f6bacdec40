export {
  type DiscoveredAsset,
  type DiscoveredLibrary,
  discoverLibrary,
  refuseEmptyLibrary,
} from './discover.ts';
export { discoverAsset } from './discover-asset.ts';
export { draftCuration } from './draft-curation.ts';
export { type AssetPreview, previewOf } from './preview.ts';
