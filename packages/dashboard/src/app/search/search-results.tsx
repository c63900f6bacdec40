import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useDeferredValue, useMemo } from 'react';
import { messages } from '../messages.ts';
import { Empty } from '../parts/empty.tsx';
import { FailureNotice } from '../parts/failure.tsx';
import type { PageSearch } from '../url.ts';
import { Facets } from './facets.tsx';
import { HitGrid } from './hit-grid.tsx';
import { type HitPage, hitsQuery, type Scope } from './hits-query.ts';
import styles from './search-results.module.css';

/** What a search over one library or several finds, beside its filters. Query and filters live in the address of the page. */
export function SearchResults({
  scope,
  label,
  search,
  onSearch,
  empty,
}: {
  scope: Scope;
  label: string;
  search: PageSearch;
  /** Changes what stands in the address. */
  onSearch: (change: PageSearch) => void;
  /** Shown where nothing was asked for and nothing is there. */
  empty: ReactNode;
}) {
  const deferred = useDeferredValue(search);
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage, refetch } = useInfiniteQuery(
    hitsQuery(scope, deferred),
  );
  const hits = useMemo(() => data?.pages.flatMap((page) => page.hits) ?? [], [data]);
  const more = useCallback(() => {
    if (!isFetchingNextPage) fetchNextPage();
  }, [fetchNextPage, isFetchingNextPage]);
  const asks = Object.entries(search).some(([name, value]) => name !== 'share' && value !== undefined);
  const first = data?.pages[0];

  return (
    <div className={styles.columns}>
      <Facets scope={scope} search={search} onSearch={onSearch} />
      <section className={styles.hits} aria-label={label}>
        <Status page={first} query={deferred.q} />
        {error ? (
          <FailureNotice error={error} onRetry={() => refetch()} />
        ) : first?.total === 0 ? (
          asks ? (
            <Empty title={messages.search.none}>
              <p>{messages.search.noneDetail}</p>
            </Empty>
          ) : (
            empty
          )
        ) : (
          <HitGrid
            hits={hits}
            hasMore={hasNextPage}
            onMore={more}
            showLibrary={scope.kind === 'libraries'}
            share={scope.kind === 'library' ? scope.share : undefined}
          />
        )}
      </section>
    </div>
  );
}

/** How many there are, and how they were found; read out when it changes. */
function Status({ page, query }: { page: HitPage | undefined; query: string | undefined }) {
  const text = messages.search;
  if (!page) return <p className={styles.status}>{messages.loading}</p>;
  const byMeaning = page.reason === 'on' ? text.byMeaning : text.byKeyword;
  return (
    <p className={styles.status} role="status" title={query ? text.reason[page.reason ?? 'on'] : undefined}>
      {query ? `${text.hits(page.total)}, ${byMeaning}` : text.total(page.total)}
    </p>
  );
}
