import { compareUtf8, ROOT_FILES } from '@bindery/contract/wire';
import type { AssetState, LibraryState } from './library-state.ts';

/** Something that others changed and that a push would revert. */
export interface RevertedChange {
  /** The id of an asset, or the name of a file at the root. */
  item: string;
  change: 'added' | 'changed' | 'deleted';
}

const NO_ASSET: AssetState = { metadataHash: null, files: new Map() };

/**
 * Returns the changes that others made to a library since a folder had `base` in common with it and that a push of
 * `local` would revert. A file counts if others changed it and the push would not leave it as they did. `published` is
 * what the folder might have published since without learning the outcome; it does not count as a change of others.
 */
export function findRevertedChanges(
  local: LibraryState,
  remote: LibraryState,
  { base, published }: { base: LibraryState; published?: LibraryState | null | undefined },
): RevertedChange[] {
  const own = published ?? base;
  const ids = new Set([...base.assets.keys(), ...remote.assets.keys(), ...local.assets.keys()]);
  const undone = [...ids]
    .sort(compareUtf8)
    .filter((id) => revertsAssetChange(id, { local, remote, base, own }))
    .map(
      (id): RevertedChange => ({ item: id, change: changeOf(remote.assets.has(id), base.assets.has(id)) }),
    );
  for (const item of ROOT_FILES.values()) {
    const hashIn = ({ rootFiles }: LibraryState) => rootFiles.get(item);
    if (revertsChange(hashIn(local), hashIn(remote), hashIn(base), hashIn(own)))
      undone.push({ item, change: changeOf(remote.rootFiles.has(item), base.rootFiles.has(item)) });
  }
  return undone;
}

function revertsAssetChange(
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
  if (revertsChange(local.metadataHash, remote.metadataHash, base.metadataHash, own.metadataHash))
    return true;
  const paths = new Set([...local.files.keys(), ...remote.files.keys()]);
  return [...paths].some((path) =>
    revertsChange(local.files.get(path), remote.files.get(path), base.files.get(path), own.files.get(path)),
  );
}

/** Whether others changed it and the push would replace their change. */
function revertsChange<T>(local: T, remote: T, base: T, own: T): boolean {
  return remote !== base && remote !== own && local !== remote;
}

function changeOf(isThere: boolean, wasThere: boolean): RevertedChange['change'] {
  if (!isThere) return 'deleted';
  return wasThere ? 'changed' : 'added';
}
