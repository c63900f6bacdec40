import { hash } from 'node:crypto';
import type { Manifest, ManifestAsset } from '@bindery/contract';
import { canonicalJson } from '../library/canonical-json.ts';

/** What an author decides about a library: files and facts of its assets, and `bindery.yml`. What is drawn is no part of it. */
export interface LibraryState {
  /** By id. */
  assets: ReadonlyMap<string, AssetState>;
  /** SHA-256 of `bindery.yml`; null where there is none. */
  curation: string | null;
}

export interface AssetState {
  /** Hash of everything that the manifest says beside files; null where that is not known. */
  facts: string | null;
  /** SHA-256 by path. */
  files: ReadonlyMap<string, string>;
}

export function stateOf(
  { assets, generated = [] }: Pick<Manifest, 'assets' | 'generated'>,
  curation: string | null,
): LibraryState {
  const artifacts = new Set(generated);
  return {
    assets: new Map(
      assets.map((asset) => [
        asset.id,
        {
          facts: factsOf(asset, artifacts),
          files: new Map(asset.files.map(({ path, sha256 }) => [path, sha256])),
        },
      ]),
    ),
    curation,
  };
}

function factsOf({ files: _, ...said }: ManifestAsset, artifacts: ReadonlySet<string>): string {
  const { thumbnail, ...facts } = said;
  const authored = thumbnail === undefined || artifacts.has(thumbnail) ? facts : said;
  return hash('sha256', canonicalJson(authored));
}
