import { compareUtf8, ROOT_FILES } from '@bindery/contract/wire';
import type { AssetState, LibraryState } from './library-state.ts';

/** Something of others that a push would set back, and what they did to it. */
export interface Undone {
  /** The id of an asset, or the name of a file at the root. */
  item: string;
  change: 'added' | 'changed' | 'deleted';
}

const NO_ASSET: AssetState = { facts: null, files: new Map() };

/**
 * What others did to a library since a folder had `base` in common with it, and what a push that makes the library equal
 * to `local` would take back. By file: others left a path other than it was, and the push would leave it otherwise still.
 * `published` is what the folder may have published since without having heard of it.
 */
export function undoneBy(
  local: LibraryState,
  remote: LibraryState,
  { base, published }: { base: LibraryState; published?: LibraryState | null | undefined },
): Undone[] {
  const own = published ?? base;
  const ids = new Set([...base.assets.keys(), ...remote.assets.keys(), ...local.assets.keys()]);
  const undone = [...ids]
    .sort(compareUtf8)
    .filter((id) => setsBackAsset(id, { local, remote, base, own }))
    .map((id): Undone => ({ item: id, change: changeOf(remote.assets.has(id), base.assets.has(id)) }));
  for (const item of ROOT_FILES.values()) {
    const hashIn = ({ rootFiles }: LibraryState) => rootFiles.get(item);
    if (setsBack(hashIn(local), hashIn(remote), hashIn(base), hashIn(own)))
      undone.push({ item, change: changeOf(remote.rootFiles.has(item), base.rootFiles.has(item)) });
  }
  return undone;
}

function setsBackAsset(
  id: string,
  states: Record<'local' | 'remote' | 'base' | 'own', LibraryState>,
): boolean {
  const assetOf = ({ assets }: LibraryState) => assets.get(id) ?? NO_ASSET;
  const [local, remote, base, own] = [
    assetOf(states.local),
    assetOf(states.remote),
    assetOf(states.base),
    assetOf(states.own),
  ];
  if (setsBack(local.facts, remote.facts, base.facts, own.facts)) return true;
  const paths = new Set([...local.files.keys(), ...remote.files.keys()]);
  return [...paths].some((path) =>
    setsBack(local.files.get(path), remote.files.get(path), base.files.get(path), own.files.get(path)),
  );
}

/** Others left it other than it was, and it would become other than they left it. */
function setsBack<T>(local: T, remote: T, base: T, own: T): boolean {
  return remote !== base && remote !== own && local !== remote;
}

function changeOf(isThere: boolean, wasThere: boolean): Undone['change'] {
  if (!isThere) return 'deleted';
  return wasThere ? 'changed' : 'added';
}
