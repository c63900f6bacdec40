import type { Manifest, ManifestAsset } from '@bindery/contract';

/** A library of which nobody said anything, and what its assets are called otherwise. */
export interface Stripped {
  manifest: Manifest;
  /** The ids of the assets in the library that it was made of, by those in it. */
  ids: ReadonlyMap<string, string>;
}

/**
 * Takes from a library all texts, names and ids. Of each asset its kind and format are left, its files under other names, and
 * what was measured of it.
 */
export function stripped({ schema, assets }: Manifest): Stripped {
  const ids = new Map<string, string>();
  const bare = assets.map((asset, at) => {
    const id = `a${String(at + 1).padStart(5, '0')}`;
    ids.set(id, asset.id);
    return strippedAsset(asset, id);
  });
  return { manifest: { schema, assets: bare }, ids };
}

function strippedAsset({ kind, format, entry, files, meta }: ManifestAsset, id: string): ManifestAsset {
  const renamed = files.map((file, at) => {
    const ending = /\.[a-z\d]+$/i.exec(file.path)?.[0] ?? '';
    return { ...file, path: `${id}/${String(at + 1).padStart(5, '0')}${ending}` };
  });
  const main = renamed[files.findIndex(({ path }) => path === entry)]?.path;
  return {
    id,
    ...(kind !== undefined && { kind }),
    ...(format !== undefined && { format }),
    ...(main !== undefined && { entry: main }),
    files: renamed,
    ...(meta?.statistics !== undefined && { meta: { statistics: meta.statistics } }),
  };
}
