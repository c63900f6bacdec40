import type { LibraryDetail, Manifest, ManifestAsset } from '@bindery/contract';
import { effectiveLicense } from '@bindery/contract/wire';
import { isExpression } from '../discovery/license/declared.ts';
import { formatLibraryAddress } from '../library/address.ts';
import { digestOf } from '../library/manifest.ts';
import { selectedAssets } from '../pull/wanted.ts';

/** Whose work a revision of a library is, and on what terms it may be used, as its publisher says it. */
export interface Credits {
  /** `ns/name`. */
  library: string;
  title: string | null;
  provider: string | null;
  homepage: string | null;
  /** Where the publisher has it from. */
  upstream: { repo: string | null; commit: string | null };
  revision: number;
  /** When this revision was published, ISO 8601. */
  publishedAt: string;
  assets: Credit[];
}

export interface Credit {
  id: string;
  title: string | null;
  attribution: string | null;
  /** Where it comes from; often a URL, but free text. */
  source: string | null;
  license: CreditedLicense;
  /** Of its files, as searches and `info` show it. */
  digest: string;
}

/** A text that is no SPDX expression is passed on as it is: what it means is not guessed. */
export type CreditedLicense =
  | { kind: 'expression'; expression: string }
  | { kind: 'text'; text: string }
  | { kind: 'unknown' };

/**
 * The credits of the assets named by ids or globs, of all without names; in the order of the manifest. An asset without
 * a licence has that of the library. Throws `AssetNotFoundError` for names of none.
 */
export function creditsOf(row: LibraryDetail, manifest: Manifest, names?: readonly string[]): Credits {
  const library = formatLibraryAddress(row);
  return {
    library,
    title: row.title,
    provider: row.provider,
    homepage: row.homepage,
    upstream: { repo: row.upstreamRepo, commit: row.upstreamCommit },
    revision: row.revision,
    publishedAt: row.updatedAt,
    assets: selectedAssets(library, manifest, { assets: names }).map((asset) =>
      creditOf(asset, manifest.library),
    ),
  };
}

function creditOf(asset: ManifestAsset, library: Manifest['library']): Credit {
  return {
    id: asset.id,
    title: asset.title ?? null,
    attribution: asset.attribution ?? null,
    source: asset.upstream?.url ?? asset.upstream?.id ?? null,
    license: licenseOf(effectiveLicense(asset, library) ?? ''),
    digest: digestOf(asset.files),
  };
}

function licenseOf(written: string): CreditedLicense {
  const text = written.trim();
  if (text === '') return { kind: 'unknown' };
  return isExpression(text) ? { kind: 'expression', expression: text } : { kind: 'text', text };
}
