import { join } from 'node:path';
import type { ComposedScene, PlacedPart, Placement, SceneToCompose, StoredAsset } from '@bindery/formats';
import type { Client } from '../client/client.ts';
import { BinderyError } from '../failures.ts';
import { formatLibraryAddress, type LibraryAddress } from '../library/library-address.ts';
import { sizesAndHashes } from '../library/manifest.ts';
import { writeNewFolder } from '../place/new-folder.ts';
import { type CachedAsset, type PlaceInCacheOptions, placeInCache } from './place-in-cache.ts';

/** An asset to stand in a scene. */
export interface SceneAsset extends Omit<Placement, 'name' | 'on'> {
  library: LibraryAddress;
  asset: string;
  /** The id of an earlier asset of the scene, on top of which it stands. */
  on?: string | undefined;
}

/** Composes scenes on this machine. */
export interface SceneComposer {
  compose(
    scene: SceneToCompose,
    locate: (part: number, path: string) => Promise<string>,
  ): Promise<ComposedScene | { refused: string }>;
}

export interface SceneResult extends Omit<ComposedScene, 'placed'> {
  /** The real path of the folder with `scene.xml` and `scene.usdz`. */
  folder: string;
  placed: (PlacedPart & {
    library: string;
    revision: number;
    asset: string;
    license: string | null;
    attribution: string | null;
  })[];
}

/**
 * Pulls assets into the cache of this machine and writes a scene of them into a new folder, all of it or nothing. Throws
 * `BinderyError` (`scene_refused`) if they cannot stand together, `ConflictError` for a folder with other files, and what
 * `placeInCache` throws.
 */
export async function composeScene(
  client: Client,
  assets: readonly SceneAsset[],
  target: string,
  { composer, ...options }: PlaceInCacheOptions & { composer: SceneComposer },
): Promise<SceneResult> {
  const names = partNames(assets.map(({ asset }) => asset));
  const parts: ScenePart[] = [];
  for (const [index, { library, asset, at, on, scale, turn }] of assets.entries()) {
    const below = on === undefined ? -1 : assets.slice(0, index).findLastIndex((other) => other.asset === on);
    if (on !== undefined && below < 0)
      throw refused(`${asset} stands on ${on}, which does not come before it`);
    const cached = await placeInCache(client, library, asset, options);
    const { entry, files } = cached;
    if (entry === null)
      throw refused(`${formatLibraryAddress(library)}/${asset} names no file that opens it`);
    parts.push({
      ...cached,
      entry,
      name: names[index] ?? asset,
      asset,
      at,
      on: names[below],
      scale,
      turn,
      ...sizesAndHashes(files),
    });
  }
  const { folder, written } = await writeNewFolder(target, async (into) => {
    const asked = parts.map(({ name, kind, format, entry, sizes, hashes, at, on, scale, turn }) => {
      return { name, kind, format, entry, sizes, hashes, at, on, scale, turn };
    });
    const composed = await composer.compose({ parts: asked, into }, async (part, path) =>
      join(parts[part]?.folder ?? '', path),
    );
    if ('refused' in composed) throw refused(composed.refused);
    return composed;
  });
  const { placed, ...composed } = written;
  return {
    ...composed,
    folder,
    placed: placed.flatMap((place) => {
      const part = parts.find(({ name }) => name === place.name);
      if (part === undefined) return [];
      const { library, revision, asset, license, attribution } = part;
      return [{ ...place, library, revision, asset, license, attribution }];
    }),
  };
}

type ScenePart = CachedAsset & Placement & StoredAsset & Pick<SceneAsset, 'asset'>;

function refused(reason: string): BinderyError {
  return new BinderyError('scene_refused', `The scene cannot be composed: ${reason}.`, {
    details: { reason },
  });
}

/** `mug`, `mug_2` …: names of bodies in all formats. */
function partNames(assets: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return assets.map((asset) => {
    const name = asset.replace(/\W+/g, '_');
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name}_${count}`;
  });
}
