import type { Manifest } from '@bindery/contract';
import { LIMITS, routes } from '@bindery/contract/wire';
import { readQuery } from '@bindery/sdk/browser';
import { diffManifests, type ManifestDiff } from '@bindery/sdk/diff';
import { queryOptions, useIsFetching, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { compareMessages } from '../../messages/compare.ts';
import { libraryMessages } from '../../messages/library.ts';
import { messages } from '../../messages.ts';
import { Button } from '../../parts/button.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import form from '../../parts/form.module.css';
import { FailureNotice, NotFound } from '../../parts/notices.tsx';
import { diffCommand } from '../../pull-snippets.ts';
import { libraryQuery, logQuery } from '../../queries.ts';
import { queryOf, service } from '../../session.ts';
import { ChangedAssetCard } from './changed-asset.tsx';
import { ChangedLibrary } from './changed-library.tsx';
import styles from './compare.module.css';
import {
  parseVersion,
  type Sides,
  type Version,
  type VersionChoice,
  versionChoices,
  versionQuery,
} from './version.ts';

const route = getRouteApi('/$namespace/$library/-/compare');

/** Libraries with more files are compared from a terminal: their manifests take a page too long. */
const MAX_FILES = 50_000;

/** How many changed assets are shown at first, and each time that more are asked for. */
const FEW = 20;

/** What differs between two releases or revisions of a library. */
export function ComparePage() {
  const { namespace, library } = route.useParams();
  const { from: typedFrom, to: typedTo, share } = route.useSearch();
  const navigate = route.useNavigate();
  const text = compareMessages;
  const key = { namespace, library, share };
  const row = useQuery(libraryQuery(key));
  const log = useQuery(logQuery(key, row.data?.revision));
  const releases = useQuery(allReleasesQuery(key));
  const isFetching = useIsFetching({ queryKey: ['diff'] });
  const [from, to] = [parseVersion(typedFrom), parseVersion(typedTo)];
  const error = row.error ?? log.error ?? releases.error;
  if (error) return <FailureNotice error={error} onRetry={() => row.refetch()} />;
  if (from === null || to === null) return <NotFound />;
  if (!row.data || !log.data || !releases.data) return null;
  const title = row.data.title ?? library;
  const choices = versionChoices(log.data.registers, releases.data.releases);
  const largest = Math.max(row.data.fileCount, ...choices.map(({ fileCount }) => fileCount));
  const choose = (side: 'from' | 'to', value: string) =>
    navigate({ search: (search) => ({ ...search, [side]: value || undefined }), resetScroll: false });
  return (
    <div className="stack">
      <title>{`${text.title} · ${title} · ${messages.product}`}</title>
      <header className="stack">
        <Crumbs namespace={namespace} library={{ name: library, title, share }} />
        <h1>{text.title}</h1>
        <div className={form.row}>
          <Choice
            label={text.from}
            value={typedFrom}
            choices={choices}
            onChange={(one) => choose('from', one)}
          />
          <Choice label={text.to} value={typedTo} choices={choices} onChange={(one) => choose('to', one)} />
        </div>
      </header>
      {largest > MAX_FILES ? (
        <p>{text.tooLarge}</p>
      ) : (
        <Differences sides={{ library: key, from, to }} revision={row.data.revision} />
      )}
      {(largest > MAX_FILES || isFetching === 0) && (
        <Copyable text={diffCommand(key, typedFrom, typedTo)} label={text.terminal} />
      )}
    </div>
  );
}

function Choice({
  label,
  value,
  choices,
  onChange,
}: {
  label: string;
  value: string | undefined;
  choices: readonly VersionChoice[];
  onChange: (value: string) => void;
}) {
  const text = compareMessages;
  const isListed = value === undefined || choices.some((choice) => choice.value === value);
  return (
    <label className={form.field}>
      {label}
      <select value={value ?? ''} onChange={({ target }) => onChange(target.value)}>
        <option value="">{text.current}</option>
        {!isListed && <option value={value}>{value}</option>}
        {choices.map(({ value, revision, release }) => (
          <option key={value} value={value}>
            {release === null ? libraryMessages.revision(revision) : text.release(release, revision)}
          </option>
        ))}
      </select>
    </label>
  );
}

function Differences({ sides, revision }: { sides: Sides; revision: number }) {
  const { data, error, refetch } = useQuery(diffQuery(sides, revision));
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  return data ? <Shown sides={sides} diff={data} /> : <p>{messages.loading}</p>;
}

function Shown({ sides, diff }: { sides: Sides; diff: ManifestDiff }) {
  const text = compareMessages;
  const [shown, setShown] = useState(FEW);
  const { assets, files, library, changes } = diff;
  const isSame = [assets, files].every((one) => Object.values(one).every((names) => names.length === 0));
  return (
    <>
      <p role="status">{isSame ? text.same : text.summary(assets, files)}</p>
      <ChangedLibrary sides={sides} facts={library} />
      {assets.added.length > 0 && (
        <section className={styles.card} aria-label={text.addedAssets}>
          <h2>{text.addedAssets}</h2>
          <Names ids={assets.added} sides={sides} version={sides.to} />
        </section>
      )}
      {assets.removed.length > 0 && (
        <section className={styles.card} aria-label={text.removedAssets}>
          <h2>{text.removedAssets}</h2>
          <Names ids={assets.removed} sides={sides} version={sides.from} />
        </section>
      )}
      {changes.length > 0 && (
        <section className="stack" aria-label={text.changedAssets}>
          <h2>{text.changedAssets}</h2>
          {changes.slice(0, shown).map((change) => (
            <ChangedAssetCard key={change.id} sides={sides} change={change} />
          ))}
          {changes.length > shown && (
            <Button label={text.more(changes.length - shown)} onClick={() => setShown(shown + FEW)} />
          )}
        </section>
      )}
    </>
  );
}

/** Assets that only one side has, with links to those that have a page. */
function Names({ ids, sides, version }: { ids: readonly string[]; sides: Sides; version: Version }) {
  const { namespace, library, share } = sides.library;
  const hasPages = version === 'current' || 'release' in version;
  const release = version !== 'current' && 'release' in version ? version.release : undefined;
  return (
    <ul className={styles.names}>
      {ids.map((id) => (
        <li key={id}>
          {hasPages ? (
            <Link
              to="/$namespace/$library/$asset"
              params={{ namespace, library, asset: id }}
              search={readQuery({ share, release })}
            >
              {id}
            </Link>
          ) : (
            id
          )}
        </li>
      ))}
    </ul>
  );
}

const allReleasesQuery = ({ namespace, library, share }: Sides['library']) =>
  queryOf(['releases', namespace, library, share ?? null, 'to compare'], routes.releases.listReleases, {
    params: { namespace, name: library },
    query: { ...readQuery({ share }), pageSize: String(LIMITS.releasePageSize.max) },
  });

/** `revision` is the current one, on which an answer depends that does not name a version. */
const diffQuery = ({ library, from, to }: Sides, revision: number) =>
  queryOptions({
    queryKey: ['diff', library, from, to, revision],
    queryFn: async ({ signal }) => {
      const [before, after] = await Promise.all(
        [from, to].map((version) => readManifest(library, version, signal)),
      );
      return diffManifests(before as Manifest, after as Manifest);
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });

function readManifest(
  { namespace, library, share }: Sides['library'],
  version: Version,
  signal: AbortSignal,
): Promise<unknown> {
  return service.call(routes.libraries.getManifest, {
    params: { namespace, name: library },
    query: { ...readQuery({ share }), ...versionQuery(version) },
    signal,
  });
}
