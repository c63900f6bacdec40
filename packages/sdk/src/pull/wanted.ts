import { CURATION_FILE, type Manifest, type ManifestFile, SOURCE_CURATION_PATH } from '@bindery/contract';
import { AssetNotFoundError } from '../failures.ts';
import { filesOf, findAsset } from '../library/manifest.ts';

/** What part of a library is meant. */
export interface Selection {
  /** One asset alone. */
  asset?: string | undefined;
  /** Platform artifacts too, below `.bindery/`. */
  all?: boolean | undefined;
}

/** A file that a folder should hold. */
export interface WantedFile extends ManifestFile {
  /** Its path in the library, where it has another one than in the folder. */
  remotePath: string;
}

/** The platform artifacts that a selection needs, of which the manifest tells neither size nor hash. */
export function wantedArtifacts(manifest: Manifest, { asset, all }: Selection): string[] {
  const { generated = [] } = manifest;
  if (all) return [...generated];
  return asset === undefined && generated.includes(SOURCE_CURATION_PATH) ? [SOURCE_CURATION_PATH] : [];
}

/**
 * The files of a selection by their path in the folder. A whole library brings its `bindery.yml` back to the root, so
 * that the folder is the one that was pushed.
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
    const isCuration = remotePath === SOURCE_CURATION_PATH && selection.asset === undefined;
    if (isCuration && !wanted.has(CURATION_FILE)) {
      wanted.set(CURATION_FILE, { ...artifact, path: CURATION_FILE, remotePath });
    }
  }
  return wanted;
}

function selectedAssets(library: string, manifest: Manifest, { asset }: Selection) {
  if (asset === undefined) return manifest.assets;
  const found = findAsset(manifest, asset);
  if (found === undefined) throw new AssetNotFoundError(library, [asset]);
  return [found];
}
