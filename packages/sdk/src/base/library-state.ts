import { hash } from 'node:crypto';
import type { Manifest, ManifestAsset, ManifestFile } from '@bindery/contract';
import { ROOT_FILES } from '@bindery/contract/wire';
import { canonicalJson } from '../library/canonical-json.ts';

/**
 * What an author decides about a library: files and facts of its assets, `bindery.yml` and the README. Generated
 * thumbnails are not part of it.
 */
export interface LibraryState {
  /** By id. */
  assets: ReadonlyMap<string, AssetState>;
  /** SHA-256 of the `ROOT_FILES` that exist, by their path in the folder. */
  rootFiles: ReadonlyMap<string, string>;
}

export interface AssetState {
  /** Hash of everything that the manifest says about the asset besides its files; null if unknown. */
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

function hashMetadata({ files: _, ...said }: ManifestAsset, artifacts: ReadonlySet<string>): string {
  const { thumbnail, ...facts } = said;
  const authored = thumbnail === undefined || artifacts.has(thumbnail) ? facts : said;
  return hash('sha256', canonicalJson(authored));
}
