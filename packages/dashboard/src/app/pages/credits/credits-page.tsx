import {
  type Credit,
  type CreditedLicense,
  type Credits,
  creditedRevision,
  creditsAsMarkdown,
  creditsAsSpdx,
  creditsOf,
} from '@bindery/sdk/credits';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { version } from '../../../../package.json';
import { save } from '../../files/save.ts';
import { toAsset } from '../../links.ts';
import { assetMessages } from '../../messages/asset.ts';
import { creditsMessages } from '../../messages/credits.ts';
import { libraryMessages } from '../../messages/library.ts';
import { messages } from '../../messages.ts';
import { Button } from '../../parts/button.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import { LicenseTexts } from '../../parts/license-texts.tsx';
import { SafeLink } from '../../parts/links.tsx';
import { FailureNotice } from '../../parts/notices.tsx';
import { ReleaseMark } from '../../parts/release.tsx';
import { type LibraryKey, libraryQuery, readManifest } from '../../queries.ts';

const route = getRouteApi('/$namespace/$library/-/credits');

/** The credits of a library, grouped by licence, as stated by its publisher. */
export function CreditsPage() {
  const { namespace, library } = route.useParams();
  const { share, release } = route.useSearch();
  const key = { namespace, library, share, release };
  const row = useQuery(libraryQuery(key));
  const manifest = useQuery(manifestQuery(key, row.data?.revision));
  const error = row.error ?? manifest.error;
  if (error) return <FailureNotice error={error} onRetry={() => manifest.refetch()} />;
  if (!row.data || !manifest.data) return null;
  const created = row.data.updatedAt;
  const revision = creditedRevision(location.origin, { namespace, name: library, release }, row.data);
  const credits = creditsOf(revision, manifest.data);
  const title = row.data.title ?? library;
  return (
    <div className="stack">
      <title>{`${libraryMessages.credits} · ${title} · ${messages.product}`}</title>
      <header className="stack">
        <Crumbs namespace={namespace} library={{ name: library, title, share, release }} />
        <h1>{libraryMessages.credits}</h1>
        <ReleaseMark library={key} />
        <div className="actions">
          <Button
            label={creditsMessages.saveMarkdown}
            onClick={() =>
              save(new Blob([creditsAsMarkdown([credits])], { type: 'text/markdown' }), 'CREDITS.md')
            }
          />
          <Button
            label={creditsMessages.saveSpdx}
            onClick={() => save(spdxOf(credits, created), `${namespace}-${library}.spdx.json`)}
          />
        </div>
      </header>
      {byLicense(credits.assets).map(([license, assets]) => (
        <section key={license} className="stack" aria-label={license}>
          <h2>{license}</h2>
          <LicenseTexts expression={license} />
          <ul className="stack">
            {assets.map((asset) => (
              <Credited key={asset.id} library={key} asset={asset} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

const manifestQuery = (key: LibraryKey, revision: number | undefined) =>
  queryOptions({
    queryKey: [...libraryQuery(key).queryKey, 'manifest', revision],
    queryFn: ({ signal }) => readManifest(key, signal),
    enabled: revision !== undefined,
  });

function Credited({ library, asset }: { library: LibraryKey; asset: Credit }) {
  return (
    <li className="row">
      <Link {...toAsset(library, asset.id)}>{asset.title ?? asset.id}</Link>
      {asset.attribution && <span>{asset.attribution}</span>}
      {asset.source && (
        <span className="soft">
          <SafeLink href={asset.source} />
        </span>
      )}
    </li>
  );
}

/** Returns the document that `bindery library credits --spdx` writes. */
function spdxOf(credits: Credits, created: string): Blob {
  const document = creditsAsSpdx([credits], { version, created });
  return new Blob([JSON.stringify(document, null, 2)], { type: 'application/spdx+json' });
}

/** Assets without a stated licence come first. */
function byLicense(assets: readonly Credit[]): [string, Credit[]][] {
  const groups = Map.groupBy(assets, ({ license }) => nameOf(license));
  const unknown = assetMessages.noLicense;
  return [...groups].sort(([a], [b]) => (a === unknown ? -1 : b === unknown ? 1 : a.localeCompare(b)));
}

function nameOf(license: CreditedLicense): string {
  if (license.kind === 'unknown') return assetMessages.noLicense;
  return license.kind === 'text' ? license.text : license.expression;
}
