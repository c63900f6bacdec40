import { hash } from 'node:crypto';
import type { Manifest, ManifestAsset, ManifestFile } from '@bindery/contract';
import { compareUtf8, ROOT_FILES } from '@bindery/contract/wire';
import { writtenMeta } from '../artifacts/statistics.ts';
import { canonicalJson } from '../library/manifest.ts';

/**
 * What an author decides about a library: files and facts of its assets, `bindery.yml` and the README. Generated
 * thumbnails, measured statistics and lists of missing files are not part of it.
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
  const { files: _, ...said } = { ...asset, meta: writtenMeta(asset) };
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
  /** Files that a pull left as they are in the folder although others had changed them. */
  unmerged?: readonly UnmergedFile[] | undefined;
  /** Changes of others at which a push stopped, so that its person knows them. */
  told?: readonly RevertedFact[] | undefined;
  /** The text of the `bindery.yml` that both had in common, from which later ones are merged. */
  curation?: string | undefined;
  /** The same from before a pull whose merge is not finished. */
  earlierCuration?: string | undefined;
}

/** A file of a folder that a pull left as it is; it counts as merged once it has another content. */
export interface UnmergedFile {
  path: string;
  /** Its SHA-256 when the pull left it; null if it was missing. */
  here: string | null;
  /** The SHA-256 that folder and library had in common before; null if none. */
  base: string | null;
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
  facts: RevertedFact[];
}

/** One part of such a change. */
export interface RevertedFact {
  item: string;
  /** The file; null for what the manifest says about the asset. */
  path: string | null;
  /** The hash of what the library has; null if it has nothing. */
  theirs: string | null;
  /** Whether another pull would not help: the last one has brought it, or it was deleted there. */
  isPulled: boolean;
}

const NO_ASSET: AssetState = { metadataHash: null, files: new Map() };

/**
 * Returns the changes that others made to a library since a folder had `base` in common with it and that a push of
 * `local` would revert. A file counts if others changed it and the push would not leave it as they did, and so does one
 * that a pull left `unmerged` and that is still the same. `published` is what the folder might have published since
 * without learning the outcome; it does not count as a change of others.
 */
export function findRevertedChanges(
  local: LibraryState,
  remote: LibraryState,
  { base, published, unmerged = [] }: Pick<FolderRecord, 'base' | 'published' | 'unmerged'>,
): RevertedChange[] {
  const unmergedAt = new Map(unmerged.map((file) => [file.path, file]));
  const ids = new Set([...remote.assets.keys(), ...local.assets.keys()]);
  const undone = [...ids].sort(compareUtf8).map((item): RevertedChange => {
    const assetOf = ({ assets }: LibraryState) => assets.get(item) ?? NO_ASSET;
    const [here, there, before] = [assetOf(local), assetOf(remote), assetOf(base)];
    const own = published && assetOf(published);
    const change = changeOf(remote.assets.has(item), base.assets.has(item));
    const metadata = compare(
      null,
      here.metadataHash,
      there.metadataHash,
      before.metadataHash,
      own?.metadataHash,
    );
    const paths = new Set([...here.files.keys(), ...there.files.keys()]);
    const files = [...paths].map((path) =>
      compare(
        path,
        here.files.get(path),
        there.files.get(path),
        before.files.get(path),
        own?.files.get(path),
      ),
    );
    return { item, change, facts: factsOf(item, [metadata, ...files]) };
  });
  for (const item of ROOT_FILES.values()) {
    const hashIn = ({ rootFiles }: LibraryState) => rootFiles.get(item);
    const change = changeOf(remote.rootFiles.has(item), base.rootFiles.has(item));
    const own = published ? hashIn(published) : undefined;
    const file = compare(item, hashIn(local), hashIn(remote), hashIn(base), own);
    undone.push({ item, change, facts: factsOf(item, [file]) });
  }
  return undone.filter(({ facts }) => facts.length > 0);

  /** Null unless others changed it and the push would replace their change. */
  function compare(path: string | null, ...hashes: (string | null | undefined)[]): Compared | null {
    const [here = null, there = null, pulled = null, own = null] = hashes;
    const left = path === null ? undefined : unmergedAt.get(path);
    const before = left?.here === here ? left.base : pulled;
    if (there === before || there === here || (published && there === own)) return null;
    return { path, theirs: there, isPulled: there === pulled || there === null };
  }
}

type Compared = Omit<RevertedFact, 'item'>;

function factsOf(item: string, compared: readonly (Compared | null)[]): RevertedFact[] {
  return compared.filter((one) => one !== null).map((one) => ({ item, ...one }));
}

function changeOf(isThere: boolean, wasThere: boolean): RevertedChange['change'] {
  if (!isThere) return 'deleted';
  return wasThere ? 'changed' : 'added';
}
