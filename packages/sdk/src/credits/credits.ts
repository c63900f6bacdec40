import type { LibraryDetail, Manifest, ManifestAsset } from '@bindery/contract';
import { effectiveLicense } from '@bindery/contract/wire';
import { isExpression } from '../discovery/license/declared.ts';
import { formatLibraryAddress, type LibraryAddress } from '../library/address.ts';
import { digestOf } from '../library/manifest.ts';

/** A revision of a library, as its readers know it. */
export interface CreditedRevision {
  /** `ns/name`. */
  library: string;
  /** Address of the server that the library is on. */
  server: string;
  /** Null where it is read by no release. */
  release: string | null;
  revision: number;
  /** When it was published, ISO 8601; null where nobody was asked. */
  publishedAt: string | null;
}

/** Whose work a revision of a library is, and on what terms it may be used, as its publisher says it. */
export interface Credits extends CreditedRevision {
  title: string | null;
  provider: string | null;
  homepage: string | null;
  /** Where the publisher has it from. */
  upstream: { repo: string | null; commit: string | null };
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

/** The revision that a service describes. */
export function creditedRevision(
  server: string,
  address: LibraryAddress,
  { revision, updatedAt }: LibraryDetail,
): CreditedRevision {
  const { namespace, name, release = null } = address;
  return {
    library: formatLibraryAddress({ namespace, name }),
    server,
    release,
    revision,
    publishedAt: updatedAt,
  };
}

/** The credits of some assets of a manifest, by default of all. An asset without a licence has that of the library. */
export function creditsOf(
  revision: CreditedRevision,
  { library, assets }: Manifest,
  some: readonly ManifestAsset[] = assets,
): Credits {
  return {
    ...revision,
    title: library?.title ?? null,
    provider: library?.provider ?? null,
    homepage: library?.homepage ?? null,
    upstream: { repo: library?.upstream?.repo ?? null, commit: library?.upstream?.commit ?? null },
    assets: some.map((asset) => creditOf(asset, library)),
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
