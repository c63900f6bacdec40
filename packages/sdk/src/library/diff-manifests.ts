import type { Manifest } from '@bindery/contract';
import { sortedByUtf8 } from '@bindery/contract/wire';
import { canonicalJson } from './canonical-json.ts';
import { filesOf } from './manifest.ts';

/** Names on one side only, and names on both sides with different contents; each list is sorted by UTF-8 bytes. */
export interface Differences {
  added: string[];
  removed: string[];
  changed: string[];
}

export interface ManifestDiff {
  /** By id. An asset has changed if anything in its manifest entry has: a file or its metadata. */
  assets: Differences;
  /** By path, user files only. */
  files: Differences;
}

/** Compares two manifests, the earlier one first. */
export function diffManifests(before: Manifest, after: Manifest): ManifestDiff {
  return {
    assets: differences(describedAssets(before), describedAssets(after)),
    files: differences(hashedFiles(before), hashedFiles(after)),
  };
}

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): Differences {
  const added = [...after.keys()].filter((name) => !before.has(name));
  const removed = [...before.keys()].filter((name) => !after.has(name));
  const changed = [...after].filter(([name, says]) => before.has(name) && before.get(name) !== says);
  return {
    added: sortedByUtf8(added),
    removed: sortedByUtf8(removed),
    changed: sortedByUtf8(changed.map(([name]) => name)),
  };
}

/** The order in which an asset lists its files does not matter. */
function describedAssets({ assets }: Manifest): Map<string, string> {
  return new Map(
    assets.map((asset) => {
      const files = asset.files.map(({ path, sha256 }) => [path, sha256]).sort();
      return [asset.id, canonicalJson({ ...asset, files })];
    }),
  );
}

function hashedFiles({ assets }: Manifest): Map<string, string> {
  return new Map([...filesOf(assets)].map(([path, { sha256 }]) => [path, sha256]));
}
