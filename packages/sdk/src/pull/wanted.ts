import type { Manifest, ManifestAsset, ManifestFile } from '@bindery/contract';
import { filesInFiles, ROOT_FILES } from '@bindery/contract/wire';
import { AssetNotFoundError, IntegrityError } from '../failures.ts';
import { compileGlob } from '../globs/glob.ts';
import { filesOf } from '../library/manifest.ts';

/** What part of a library is meant. */
export interface Selection {
  /** Ids or globs of assets: these alone. */
  assets?: readonly string[] | undefined;
  /** Platform artifacts too, below `.bindery/`. */
  all?: boolean | undefined;
}

/** A file that a folder should hold. */
export interface WantedFile extends ManifestFile {
  /** Its path in the library, where it has another one than in the folder. */
  remotePath: string;
}

export function totalOf(files: readonly WantedFile[]): { files: number; bytes: number } {
  return { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) };
}

/** The platform artifacts that a selection needs, of which the manifest tells neither size nor hash. */
export function wantedArtifacts(manifest: Manifest, { assets, all }: Selection): string[] {
  const { generated = [] } = manifest;
  if (all) return [...generated];
  return assets === undefined ? generated.filter((path) => ROOT_FILES.has(path)) : [];
}

/**
 * The files of a selection by their path in the folder. A whole library brings its `bindery.yml` and README back to
 * the root, so that the folder is the one that was pushed. Throws `IntegrityError` where a file would have to be a folder too.
 */
export function wantedFiles(
  library: string,
  manifest: Manifest,
  artifacts: ReadonlyMap<string, ManifestFile>,
  selection: Selection,
): Map<string, WantedFile> {
  const wanted = new Map<string, WantedFile>();
  for (const [path, file] of filesOf(selectedAssets(library, manifest, selection))) {
    wanted.set(path, { ...file, remotePath: path });
  }
  for (const remotePath of wantedArtifacts(manifest, selection)) {
    const artifact = artifacts.get(remotePath);
    if (artifact === undefined) continue;
    if (selection.all) wanted.set(remotePath, { ...artifact, remotePath });
    const path = selection.assets === undefined ? ROOT_FILES.get(remotePath) : undefined;
    if (path !== undefined && !wanted.has(path)) wanted.set(path, { ...artifact, path, remotePath });
  }
  refuseFileInFile(library, [...wanted.keys()]);
  return wanted;
}

/** What a library has at its root lies elsewhere there, so no rule of manifests keeps it from being a folder too. */
function refuseFileInFile(library: string, paths: readonly string[]): void {
  const sorted = paths.toSorted();
  for (const [inside, folder] of filesInFiles(sorted)) {
    const [lower, upper] = [JSON.stringify(sorted[inside]), JSON.stringify(sorted[folder])];
    throw new IntegrityError(`${library} has ${lower}, which cannot be inside ${upper}, itself a file`);
  }
}

/** The assets that are meant, in the order of the manifest. Throws `AssetNotFoundError` for what names none. */
export function selectedAssets(
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

/** The ids of a selection; null where it is the whole library. */
export function selectedIds(library: string, manifest: Manifest, selection: Selection): string[] | null {
  if (selection.assets === undefined) return null;
  return selectedAssets(library, manifest, selection).map(({ id }) => id);
}
