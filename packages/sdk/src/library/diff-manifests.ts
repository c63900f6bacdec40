import type { Manifest } from '@bindery/contract';
import { sortedByUtf8 } from '@bindery/contract/wire';
import { canonicalJson } from './canonical-json.ts';
import { filesOf } from './manifest.ts';

/** Names on both sides that say different things, and names on one side alone; each sorted by UTF-8 bytes. */
export interface Differences {
  added: string[];
  removed: string[];
  changed: string[];
}

export interface ManifestDiff {
  /** By id. An asset has changed where anything of its manifest entry has: a file, or what describes it. */
  assets: Differences;
  /** By path, user files alone. */
  files: Differences;
}

/** What the second manifest has that the first has not, or has differently. */
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

/** In which order an asset lists its files says nothing. */
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
