import type { LibrarySummary } from '@bindery/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { messages } from '../messages.ts';
import { Copyable } from '../parts/copyable.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { NewLibraryLink } from '../parts/new-library-link.tsx';
import { librariesQuery } from '../queries.ts';
import { SearchBox } from '../search/search-box.tsx';
import { SearchResults } from '../search/search-results.tsx';
import { hasCriteria, isTypedOn, type PageSearch } from '../url.ts';
import styles from './home.module.css';
import { HomeLibraries } from './home-libraries.tsx';

const route = getRouteApi('/');

/** More than these are found by typing on. */
const MAX_NAMED = 8;

const EVERYTHING = { kind: 'everything' } as const;

/** All libraries that the viewer may read, and a search over them. */
export function Home() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, refetch } = useQuery(librariesQuery);
  const libraries = data?.libraries ?? [];
  const named = search.q === undefined ? [] : namedLike(libraries, search.q);
  const onSearch = (change: PageSearch) =>
    navigate({ search: change, replace: isTypedOn(search, change), resetScroll: false });

  return (
    <div className={styles.page}>
      <title>{`${search.q ? `${search.q} · ` : ''}${messages.home.title} · ${messages.product}`}</title>
      <div className={styles.head}>
        <h1>{messages.home.title}</h1>
        <NewLibraryLink />
      </div>
      <SearchBox
        label={messages.home.searchAll}
        placeholder={messages.library.placeholder}
        value={search.q ?? ''}
        onChange={(q) => onSearch({ ...search, q })}
        completion={{
          onTag: (tag) => onSearch({ ...search, q: '', tag: [...new Set([...(search.tag ?? []), tag])] }),
          onName: ({ namespace, library, assetId: asset }) =>
            navigate({
              to: '/$namespace/$library/$asset',
              params: { namespace, library, asset },
              search: {},
            }),
        }}
      />
      {error ? (
        <FailureNotice error={error} onRetry={() => refetch()} />
      ) : hasCriteria(search) ? (
        <>
          {named.length > 0 && <NamedLibraries libraries={named} />}
          <SearchResults
            scope={EVERYTHING}
            label={messages.home.searchAll}
            search={search}
            onSearch={onSearch}
            empty={null}
          />
        </>
      ) : data && libraries.length === 0 ? (
        <EmptyState title={messages.home.empty}>
          <p>{messages.home.emptyDetail}</p>
          <Copyable text="bindery library push ./robots me/robots" label={messages.home.emptyDetail} />
        </EmptyState>
      ) : (
        <HomeLibraries empty={null} />
      )}
    </div>
  );
}

/** Links to libraries, in few lines: what follows are the assets. */
function NamedLibraries({ libraries }: { libraries: readonly LibrarySummary[] }) {
  const title = messages.home.named(libraries.length);
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul className={styles.links}>
        {libraries.slice(0, MAX_NAMED).map(({ namespace, name, title }) => (
          <li key={`${namespace}/${name}`}>
            <Link to="/$namespace/$library" params={{ namespace, library: name }}>
              {title ?? name}
            </Link>{' '}
            <span className={styles.soft}>
              {namespace}/{name}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Libraries whose address or title has every word of the query. */
function namedLike(libraries: readonly LibrarySummary[], query: string): LibrarySummary[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return libraries.filter(({ namespace, name, title }) => {
    const text = `${namespace}/${name} ${title ?? ''}`.toLowerCase();
    return words.length > 0 && words.every((word) => text.includes(word));
  });
}
