import type { Manifest, ManifestAsset } from '@bindery/contract';
import { MANIFEST_SCHEMA, SOURCE_CURATION_PATH, SOURCE_README_PATH } from '@bindery/contract/wire';
import type { DiscoveredAsset, DiscoveredLibrary } from '../discovery/discovered-library.ts';

/** Builds the manifest of a discovered library from the hashes of its files, by path. */
export function buildManifest(found: DiscoveredLibrary, hashes: ReadonlyMap<string, string>): Manifest {
  const generated = [
    ...(found.curation === null ? [] : [SOURCE_CURATION_PATH]),
    ...(found.readme === null ? [] : [SOURCE_README_PATH]),
  ];
  return {
    schema: MANIFEST_SCHEMA,
    ...(found.library === undefined ? {} : { library: found.library }),
    assets: found.assets.map((asset) => withHashes(asset, hashes)),
    ...(generated.length === 0 ? {} : { generated }),
  };
}

export function withHashes(asset: DiscoveredAsset, hashes: ReadonlyMap<string, string>): ManifestAsset {
  const files = asset.files.map(({ path, size }) => ({ path, size, sha256: hashes.get(path) ?? '' }));
  return { ...asset, files };
}
