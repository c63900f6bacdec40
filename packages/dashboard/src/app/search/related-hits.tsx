import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { answerOf } from '../connection.ts';
import { messages } from '../messages.ts';
import type { PageSearch } from '../url.ts';
import { HitGrid } from './hit-grid.tsx';
import { hitsQuery, type Scope } from './hits-query.ts';
import styles from './search-results.module.css';

/** Assets that have none of the query's words and are close to it in meaning; empty if there are none. */
export function RelatedHits({ scope, search }: { scope: Scope; search: PageSearch }) {
  const query = useInfiniteQuery(hitsQuery(scope, search, 'meaning'));
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = query;
  const data = answerOf(query);
  const hits = useMemo(() => data?.pages.flatMap((page) => page.hits) ?? [], [data]);
  const more = useCallback(() => {
    if (!isFetchingNextPage) fetchNextPage();
  }, [fetchNextPage, isFetchingNextPage]);
  const total = data?.pages[0]?.total ?? 0;
  if (total === 0) return null;
  const title = messages.search.related(total);
  return (
    <section aria-label={title} className={styles.related}>
      <h2>{title}</h2>
      <HitGrid hits={hits} hasMore={hasNextPage} onMore={more} showLibrary={scope.kind === 'everything'} />
    </section>
  );
}
