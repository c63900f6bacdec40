import { messages } from '../messages.ts';
import { type PageSearch, SORTS, type Sort } from '../url.ts';
import type { HitPage } from './hits-query.ts';
import styles from './results-head.module.css';

/** The number of hits, the suggested query, and the sort order. */
export function ResultsHead({
  page,
  query,
  search,
  onSearch,
  canBeNewest,
}: {
  page: HitPage | undefined;
  query: string | undefined;
  search: PageSearch;
  onSearch: (change: PageSearch) => void;
  canBeNewest: boolean;
}) {
  const { didYouMean } = page ?? {};
  const { sort: _, ...unsorted } = search;
  const choose = (sort: string) => onSearch(sort === '' ? unsorted : { ...unsorted, sort: sort as Sort });
  return (
    <>
      <div className={styles.head}>
        <Status page={page} query={query} />
        <label className={styles.sort}>
          {messages.search.sort}
          <select
            className={styles.select}
            value={search.sort ?? ''}
            onChange={(event) => choose(event.target.value)}
          >
            <option value="">
              {search.q === undefined ? messages.search.sorts.none : messages.search.sorts.relevance}
            </option>
            {SORTS.filter((sort) => canBeNewest || sort !== 'newest').map((sort) => (
              <option key={sort} value={sort}>
                {messages.search.sorts[sort]}
              </option>
            ))}
          </select>
        </label>
      </div>
      {didYouMean !== undefined && (
        <p className={styles.meant}>
          {messages.search.didYouMean}
          <button
            type="button"
            className={styles.correction}
            onClick={() => onSearch({ ...search, q: didYouMean })}
          >
            {didYouMean}
          </button>
        </p>
      )}
    </>
  );
}

/** The number of hits; announced by screen readers when it changes. */
function Status({ page, query }: { page: HitPage | undefined; query: string | undefined }) {
  const text = messages.search;
  if (!page) return <p className={styles.status}>{messages.loading}</p>;
  return (
    <p className={styles.status} role="status" title={query ? text.reason[page.reason ?? 'on'] : undefined}>
      {query ? text.hits(page.total) : text.total(page.total)}
    </p>
  );
}
