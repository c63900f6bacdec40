import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useDeferredValue, useMemo } from 'react';
import { messages } from '../messages.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { hasCriteria, type PageSearch } from '../url.ts';
import { Facets } from './facets.tsx';
import { HitGrid } from './hit-grid.tsx';
import { hitsQuery, type Scope } from './hits-query.ts';
import { ResultsHead } from './results-head.tsx';
import styles from './search-results.module.css';

/** The hits of a search with its filters. Query, filters and order are stored in the address of the page. */
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
  /** Changes the search in the address. */
  onSearch: (change: PageSearch) => void;
  /** Shown if there is nothing to list and no search was made. */
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
  const first = data?.pages[0];
  const everywhere = scope.kind === 'everything';

  return (
    <div className={styles.columns}>
      <Facets counts={first?.facets} search={search} onSearch={onSearch} showLibraries={everywhere} />
      <section className={styles.hits} aria-label={label}>
        <ResultsHead
          page={first}
          query={deferred.q}
          search={search}
          onSearch={onSearch}
          canBeNewest={everywhere}
        />
        {error ? (
          <FailureNotice error={error} onRetry={() => refetch()} />
        ) : first?.total === 0 ? (
          hasCriteria(search) ? (
            <EmptyState title={messages.search.none}>
              <p>
                {endsInOneLetter(deferred.q ?? '') ? messages.search.oneLetter : messages.search.noneDetail}
              </p>
            </EmptyState>
          ) : (
            empty
          )
        ) : (
          <HitGrid hits={hits} hasMore={hasNextPage} onMore={more} showLibrary={everywhere} />
        )}
      </section>
    </div>
  );
}

/** The service matches word prefixes from two letters on. */
function endsInOneLetter(query: string): boolean {
  return /(^|\s)\S$/u.test(query);
}
