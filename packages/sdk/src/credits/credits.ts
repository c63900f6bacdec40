import type { LibraryDetail, Manifest, ManifestAsset } from '@bindery/contract';
import { effectiveLicense } from '@bindery/contract/wire';
import { isSpdxExpression } from '../discovery/license/spdx-expressions.ts';
import { formatLibraryAddress, type LibraryAddress } from '../library/library-address.ts';
import { digestOf } from '../library/manifest.ts';

/** The revision of a library that credits are about. */
export interface CreditedRevision {
  /** `ns/name`. */
  library: string;
  /** Address of the server that the library is on. */
  server: string;
  /** Null if it was not read by a release. */
  release: string | null;
  revision: number;
  /** When it was published, ISO 8601; null if that is not known. */
  publishedAt: string | null;
}

/** Who made the assets of a revision, and on what terms they may be used, as its publisher states it. */
export interface Credits extends CreditedRevision {
  title: string | null;
  provider: string | null;
  homepage: string | null;
  /** Where the publisher got it from. */
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
  /** Digest of its files, as searches and `info` show it. */
  digest: string;
}

/** Text that is not an SPDX expression is passed on unchanged: its meaning is not guessed. */
export type CreditedLicense =
  | { kind: 'expression'; expression: string }
  | { kind: 'text'; text: string }
  | { kind: 'unknown' };

/** Converts a library as the service describes it. */
export function creditedRevision(
  server: string,
  address: LibraryAddress,
  { revision, updatedAt }: Pick<LibraryDetail, 'revision'> & { updatedAt: string | null },
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

/** Returns the credits of some assets, by default all of them. An asset without a licence has the library's. */
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
  return isSpdxExpression(text) ? { kind: 'expression', expression: text } : { kind: 'text', text };
}
