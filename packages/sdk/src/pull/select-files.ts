import type { Manifest, ManifestAsset, ManifestFile } from '@bindery/contract';
import { findPathsBelowFiles, ROOT_FILES } from '@bindery/contract/wire';
import { AssetNotFoundError, IntegrityError } from '../failures.ts';
import { compileGlob } from '../globs/glob.ts';
import { filesOf } from '../library/manifest.ts';
import { SET_ASIDE_FOLDER } from '../place/set-aside.ts';
import type { TargetFile } from '../place/written-files.ts';

/** Selects part of a library. */
export interface Selection {
  /** Ids or globs of assets; only these are selected. */
  assets?: readonly string[] | undefined;
  /** Include the platform artifacts, below `.bindery/`. */
  all?: boolean | undefined;
}

/** Returns the platform artifacts that a selection needs. The manifest records neither their size nor their hash. */
export function selectArtifacts(manifest: Manifest, { assets, all }: Selection): string[] {
  const { generated = [] } = manifest;
  if (all) return generated.filter((path) => !path.startsWith(SET_ASIDE_FOLDER));
  return assets === undefined ? generated.filter((path) => ROOT_FILES.has(path)) : [];
}

/**
 * Returns the files of a selection by their path in the folder. For a whole library, `bindery.yml` and the README are
 * at the root again, so that the folder is the one that was pushed. Throws `IntegrityError` if a file would also be a
 * folder.
 */
export function selectFiles(
  library: string,
  manifest: Manifest,
  artifacts: ReadonlyMap<string, ManifestFile>,
  selection: Selection,
): Map<string, TargetFile> {
  const wanted = new Map<string, TargetFile>();
  for (const [path, file] of filesOf(selectAssets(library, manifest, selection))) {
    wanted.set(path, { ...file, remotePath: path });
  }
  for (const remotePath of selectArtifacts(manifest, selection)) {
    const artifact = artifacts.get(remotePath);
    if (artifact === undefined) continue;
    if (selection.all) wanted.set(remotePath, { ...artifact, remotePath });
    const path = selection.assets === undefined ? ROOT_FILES.get(remotePath) : undefined;
    if (path !== undefined && !wanted.has(path)) wanted.set(path, { ...artifact, path, remotePath });
  }
  refusePathsBelowFiles(library, [...wanted.keys()]);
  return wanted;
}

/** Root files have other paths in the library, so that manifests cannot rule out that one is a folder too. */
function refusePathsBelowFiles(library: string, paths: readonly string[]): void {
  const sorted = paths.toSorted();
  for (const [inside, folder] of findPathsBelowFiles(sorted)) {
    const [lower, upper] = [JSON.stringify(sorted[inside]), JSON.stringify(sorted[folder])];
    throw new IntegrityError(`${library} has ${lower}, which cannot be inside ${upper}, itself a file.`);
  }
}

/** Returns the selected assets, in manifest order. Throws `AssetNotFoundError` for names that match none. */
export function selectAssets(
  library: string,
  manifest: Manifest,
  { assets: names }: Selection,
): readonly ManifestAsset[] {
  if (names === undefined) return manifest.assets;
  const matchers = names.map((name) => ({ name, matches: compileGlob(name) }));
  const missing = matchers.filter(({ matches }) => !manifest.assets.some(({ id }) => matches(id)));
  if (missing.length > 0) {
    throw new AssetNotFoundError(
      library,
      missing.map(({ name }) => name),
    );
  }
  return manifest.assets.filter(({ id }) => matchers.some(({ matches }) => matches(id)));
}

/** Returns the ids of a selection; null for the whole library. */
export function selectIds(library: string, manifest: Manifest, selection: Selection): string[] | null {
  if (selection.assets === undefined) return null;
  return selectAssets(library, manifest, selection).map(({ id }) => id);
}
