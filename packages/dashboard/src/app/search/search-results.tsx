import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useMemo } from 'react';
import { answerOf } from '../connection.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { hasCriteria, type PageSearch } from '../url.ts';
import { Facets } from './facets.tsx';
import { HitGrid } from './hit-grid.tsx';
import { hitsQuery, type Scope } from './hits-query.ts';
import { NoHits } from './no-hits.tsx';
import { RelatedHits } from './related-hits.tsx';
import { ResultsHead } from './results-head.tsx';
import styles from './search-results.module.css';

/**
 * The hits of a search with its filters, and below them what is only close in meaning. Query, filters and order are
 * stored in the address of the page.
 */
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
  const query = useInfiniteQuery(hitsQuery(scope, search, 'words'));
  const { error, fetchNextPage, hasNextPage, isFetchingNextPage, isPlaceholderData, refetch } = query;
  const data = answerOf(query);
  const hits = useMemo(() => data?.pages.flatMap((page) => page.hits) ?? [], [data]);
  const more = useCallback(() => {
    if (!isFetchingNextPage) fetchNextPage();
  }, [fetchNextPage, isFetchingNextPage]);
  const first = data?.pages[0];
  const everywhere = scope.kind === 'everything';
  const isWhole = first !== undefined && !hasNextPage && !isPlaceholderData;
  const nothing = hasCriteria(search) ? <NoHits search={search} onSearch={onSearch} /> : empty;

  return (
    <div className={styles.columns}>
      <Facets counts={first?.facets} search={search} onSearch={onSearch} showLibraries={everywhere} />
      <section className={styles.hits} aria-label={label}>
        <ResultsHead
          page={first}
          query={search.q}
          search={search}
          onSearch={onSearch}
          canBeNewest={everywhere}
        />
        {error ? (
          <FailureNotice error={error} onRetry={() => refetch()} />
        ) : first?.total === 0 ? (
          nothing
        ) : (
          <HitGrid hits={hits} hasMore={hasNextPage} onMore={more} showLibrary={everywhere} />
        )}
        {isWhole && search.q !== undefined && <RelatedHits scope={scope} search={search} />}
      </section>
    </div>
  );
}
