export { discoverLibrary, refuseEmptyLibrary } from './discover.ts';
export { discoverAsset } from './discover-asset.ts';
export type { DiscoveredAsset, DiscoveredLibrary } from './discovered.ts';
export { draftCuration } from './draft-curation.ts';
export { type AssetPreview, previewOf } from './preview.ts';
