import { CURATION_FILE, ROOT_FILES } from '@bindery/contract/wire';
import type { AssetState, FolderRecord, LibraryState, UnmergedFile } from './library-state.ts';

export interface PullOutcome {
  remote: LibraryState;
  /** The ids that were pulled; null means the whole library including its root files. */
  selected: ReadonlySet<string> | null;
  /** Paths at which the pull left what the folder has. */
  kept: ReadonlyMap<string, KeptFile>;
  /** Paths of files that the pull could not place. */
  unplaced: ReadonlySet<string>;
  /** Whether the folder has a file at a path. */
  existsLocally(path: string): boolean;
}

export interface KeptFile {
  /** Its SHA-256; null if the folder has no file there. */
  here: string | null;
  /** The SHA-256 of what it comes from, if that is known better than from the record. */
  base?: string | null;
}

/**
 * Returns what a folder has in common with a library after a pull: what was pulled. A file that the pull kept remains
 * to be merged, if others had changed it. What it could not place, and what others deleted from the library, which a
 * pull does not delete here, retains its earlier base. Thus no push undoes any of it without asking.
 */
export function baseAfterPull(
  before: Pick<FolderRecord, 'base' | 'unmerged'>,
  pulled: PullOutcome,
): Required<Pick<FolderRecord, 'base' | 'unmerged'>> {
  const { remote, selected, unplaced, existsLocally } = pulled;
  const earlier = before.base;
  const rootFiles = selected === null ? rootFilesAfter(earlier, pulled) : earlier.rootFiles;
  const knowsFacts =
    selected === null && rootFiles.get(CURATION_FILE) === remote.rootFiles.get(CURATION_FILE);
  const assets = new Map<string, AssetState>();
  for (const id of new Set([...earlier.assets.keys(), ...remote.assets.keys()])) {
    const was = earlier.assets.get(id);
    const now = remote.assets.get(id);
    if (selected !== null && !selected.has(id)) {
      if (was !== undefined) assets.set(id, was);
      continue;
    }
    const files = filesAfter(was?.files ?? new Map(), now?.files ?? new Map(), unplaced, existsLocally);
    if (now === undefined && files.size === 0) continue;
    assets.set(id, {
      metadataHash: now && knowsFacts ? now.metadataHash : (was?.metadataHash ?? null),
      files,
    });
  }
  return { base: { assets, rootFiles }, unmerged: unmergedAfter(before, pulled) };
}

function unmergedAfter(
  { base, unmerged = [] }: Pick<FolderRecord, 'base' | 'unmerged'>,
  { remote, selected, kept }: PullOutcome,
): UnmergedFile[] {
  const [before, now] = [hashesOf(base, null), hashesOf(remote, selected)];
  const earlier = new Map(unmerged.map((file) => [file.path, file]));
  const left = [...kept].map(([path, { here, base }]): UnmergedFile => {
    const last = earlier.get(path);
    const known = last?.here === here ? last.base : (before.get(path) ?? null);
    return { path, here, base: base === undefined ? known : base };
  });
  const disputed = left.filter(({ path, base }) => base !== now.get(path));
  return [...unmerged.filter(({ path }) => !now.has(path)), ...disputed];
}

function hashesOf(
  { assets, rootFiles }: LibraryState,
  selected: PullOutcome['selected'],
): Map<string, string> {
  const chosen = [...assets].filter(([id]) => selected?.has(id) ?? true);
  return new Map([...(selected === null ? rootFiles : []), ...chosen.flatMap(([, { files }]) => [...files])]);
}

/** Returns paths that were in common with the library, are no longer in it, and are still in the folder. */
export function leftBehind(
  before: LibraryState,
  { remote, selected, existsLocally }: Pick<PullOutcome, 'remote' | 'selected' | 'existsLocally'>,
): string[] {
  const paths = new Set<string>();
  const inLibrary = new Set([...remote.assets.values()].flatMap(({ files }) => [...files.keys()]));
  for (const [id, { files }] of before.assets) {
    if (selected !== null && !selected.has(id)) continue;
    for (const path of files.keys()) if (!inLibrary.has(path) && existsLocally(path)) paths.add(path);
  }
  for (const path of selected === null ? before.rootFiles.keys() : [])
    if (!remote.rootFiles.has(path) && !inLibrary.has(path) && existsLocally(path)) paths.add(path);
  return [...paths];
}

function rootFilesAfter(
  before: LibraryState,
  { remote, unplaced, existsLocally }: PullOutcome,
): LibraryState['rootFiles'] {
  const after = new Map<string, string>();
  for (const path of ROOT_FILES.values()) {
    const stays = remote.rootFiles.has(path) ? unplaced.has(path) : existsLocally(path);
    const sha256 = (stays ? before : remote).rootFiles.get(path);
    if (sha256 !== undefined) after.set(path, sha256);
  }
  return after;
}

function filesAfter(
  before: AssetState['files'],
  now: AssetState['files'],
  unplaced: ReadonlySet<string>,
  isHere: (path: string) => boolean,
): Map<string, string> {
  const files = new Map<string, string>();
  for (const [path, sha256] of before) {
    if (now.has(path) ? unplaced.has(path) : isHere(path)) files.set(path, sha256);
  }
  for (const [path, sha256] of now) if (!unplaced.has(path)) files.set(path, sha256);
  return files;
}
