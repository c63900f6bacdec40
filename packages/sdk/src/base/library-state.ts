import { hash } from 'node:crypto';
import type { Manifest, ManifestAsset, ManifestFile } from '@bindery/contract';
import { compareUtf8, ROOT_FILES } from '@bindery/contract/wire';
import { withoutStatistics } from '../artifacts/statistics.ts';
import { canonicalJson } from '../library/manifest.ts';

/**
 * What an author decides about a library: files and facts of its assets, `bindery.yml` and the README. Generated
 * thumbnails and measured statistics are not part of it.
 */
export interface LibraryState {
  /** By id. */
  assets: ReadonlyMap<string, AssetState>;
  /** SHA-256 of the `ROOT_FILES` that exist, by their path in the folder. */
  rootFiles: ReadonlyMap<string, string>;
}

export interface AssetState {
  /** Hash of everything else that the manifest says about the asset; null if unknown. */
  metadataHash: string | null;
  /** SHA-256 by path. */
  files: ReadonlyMap<string, string>;
}

export function stateOf(
  { assets, generated = [] }: Pick<Manifest, 'assets' | 'generated'>,
  rootFiles: LibraryState['rootFiles'],
): LibraryState {
  const artifacts = new Set(generated);
  return {
    assets: new Map(
      assets.map((asset) => [
        asset.id,
        {
          metadataHash: hashMetadata(asset, artifacts),
          files: new Map(asset.files.map(({ path, sha256 }) => [path, sha256])),
        },
      ]),
    ),
    rootFiles,
  };
}

/** Returns the hashes of those platform artifacts that belong at the root of a folder, by their path in the folder. */
export function rootFilesAmong(
  artifacts: Iterable<Pick<ManifestFile, 'path' | 'sha256'>>,
): LibraryState['rootFiles'] {
  return new Map(
    [...artifacts].flatMap(({ path, sha256 }) => {
      const file = ROOT_FILES.get(path);
      return file === undefined ? [] : [[file, sha256] as const];
    }),
  );
}

function hashMetadata(asset: ManifestAsset, artifacts: ReadonlySet<string>): string {
  const { files: _, ...said } = { ...asset, meta: withoutStatistics(asset) };
  const { thumbnail, ...facts } = said;
  const authored = thumbnail === undefined || artifacts.has(thumbnail) ? facts : said;
  return hash('sha256', canonicalJson(authored));
}

/** What is recorded about a folder and one library. */
export interface FolderRecord {
  /** What the two had in common when they were last in step. */
  base: LibraryState;
  /** What the last push was about to publish, if it is unknown whether it did. */
  published?: LibraryState | null;
  /** Path and SHA-256 of the files that unfinished pulls were moving into place. */
  arriving?: readonly (readonly [string, string])[];
  /** The name of the folder into which an unfinished pull moved what it replaced. */
  setAside?: string | undefined;
}

export const EMPTY_BASE: LibraryState = { assets: new Map(), rootFiles: new Map() };

/** Stores what a folder had in common with a library. */
export interface FolderRecordStore {
  /** Returns null if the folder was never in step with the library, `damaged` if the record cannot be read. */
  read(): FolderRecord | null | 'damaged';
  write(remembered: FolderRecord): void;
}

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
