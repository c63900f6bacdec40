import { CURATION_FILE, ROOT_FILES } from '@bindery/contract/wire';
import type { AssetState, LibraryState } from './library-state.ts';

export interface PullOutcome {
  remote: LibraryState;
  /** The ids that were pulled; null means the whole library including its root files. */
  selected: ReadonlySet<string> | null;
  /** Paths at which the pull left the folder's own file. */
  kept: ReadonlySet<string>;
  /** Whether the folder has a file at a path. */
  existsLocally(path: string): boolean;
}

/**
 * Returns what a folder has in common with a library after a pull. Kept files retain their earlier base. So do files
 * that others deleted from the library, which a pull does not delete. Thus no push undoes either without asking.
 */
export function baseAfterPull(before: LibraryState, pulled: PullOutcome): LibraryState {
  const { remote, selected, kept, existsLocally } = pulled;
  const rootFiles = selected === null ? rootFilesAfter(before, pulled) : before.rootFiles;
  const knowsFacts =
    selected === null && rootFiles.get(CURATION_FILE) === remote.rootFiles.get(CURATION_FILE);
  const assets = new Map<string, AssetState>();
  for (const id of new Set([...before.assets.keys(), ...remote.assets.keys()])) {
    const earlier = before.assets.get(id);
    const now = remote.assets.get(id);
    if (selected !== null && !selected.has(id)) {
      if (earlier !== undefined) assets.set(id, earlier);
      continue;
    }
    const files = filesAfter(earlier?.files ?? new Map(), now?.files ?? new Map(), kept, existsLocally);
    if (now === undefined && files.size === 0) continue;
    assets.set(id, {
      metadataHash: now && knowsFacts ? now.metadataHash : (earlier?.metadataHash ?? null),
      files,
    });
  }
  return { assets, rootFiles };
}

/** Returns paths that were in common with the library, are no longer in it, and are still in the folder. */
export function leftBehind(
  before: LibraryState,
  { remote, selected, existsLocally }: Omit<PullOutcome, 'kept'>,
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
  { remote, kept, existsLocally }: PullOutcome,
): LibraryState['rootFiles'] {
  const after = new Map<string, string>();
  for (const path of ROOT_FILES.values()) {
    const stays = remote.rootFiles.has(path) ? kept.has(path) : existsLocally(path);
    const sha256 = (stays ? before : remote).rootFiles.get(path);
    if (sha256 !== undefined) after.set(path, sha256);
  }
  return after;
}

function filesAfter(
  before: AssetState['files'],
  now: AssetState['files'],
  kept: ReadonlySet<string>,
  isHere: (path: string) => boolean,
): Map<string, string> {
  const files = new Map<string, string>();
  for (const [path, sha256] of before) {
    if (now.has(path) ? kept.has(path) : isHere(path)) files.set(path, sha256);
  }
  for (const [path, sha256] of now) if (!kept.has(path)) files.set(path, sha256);
  return files;
}
