import { LIMITS, routes } from '@bindery/contract/wire';
import { readQuery } from '@bindery/sdk/browser';
import { diffManifests } from '@bindery/sdk/diff';
import { queryOptions, useIsFetching, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { compareMessages } from '../../messages/compare.ts';
import { libraryMessages } from '../../messages/library.ts';
import { messages } from '../../messages.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import { SelectField } from '../../parts/form.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { FailureNotice, NotFound } from '../../parts/notices.tsx';
import { diffCommand } from '../../pull-snippets.ts';
import { libraryQuery, logQuery, readManifest } from '../../queries.ts';
import { queryOf } from '../../session.ts';
import { ShownDifferences } from './shown-differences.tsx';
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
  const sides = { library: key, from, to };
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
        <div className="fields">
          <SelectField
            label={text.from}
            value={typedFrom ?? ''}
            options={optionsOf(choices, typedFrom)}
            onChange={(one) => choose('from', one)}
          />
          <SelectField
            label={text.to}
            value={typedTo ?? ''}
            options={optionsOf(choices, typedTo)}
            onChange={(one) => choose('to', one)}
          />
        </div>
      </header>
      {largest > MAX_FILES ? (
        <p>{text.tooLarge}</p>
      ) : (
        <Loaded query={diffQuery(sides, row.data.revision)} waiting={messages.loading}>
          {(diff) => <ShownDifferences sides={sides} diff={diff} />}
        </Loaded>
      )}
      {(largest > MAX_FILES || isFetching === 0) && (
        <Copyable text={diffCommand(key, typedFrom, typedTo)} label={text.terminal} />
      )}
    </div>
  );
}

/** With a version that is not listed, if the address names one. */
function optionsOf(choices: readonly VersionChoice[], value = ''): [value: string, name: string][] {
  const named = choices.map(({ value, revision, release }): [string, string] => [
    value,
    release === null ? libraryMessages.revision(revision) : compareMessages.release(release, revision),
  ]);
  const isListed = value === '' || choices.some((choice) => choice.value === value);
  return [['', compareMessages.current], ...(isListed ? [] : [[value, value] as [string, string]]), ...named];
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
      const read = (version: Version) => readManifest(library, signal, versionQuery(version));
      return diffManifests(...(await Promise.all([read(from), read(to)])));
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
