import { searchMessages as text } from '../messages/search.ts';
import { messages } from '../messages.ts';
import { type PageSearch, SORTS, type Sort, withWords } from '../url.ts';
import { filterText } from './facets.tsx';
import type { HitPage } from './hits-query.ts';
import styles from './results-head.module.css';

/** The number of hits, what was understood of the query, the suggested query, and the sort order. */
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
          {text.sort}
          <select
            className={styles.select}
            value={search.sort ?? ''}
            onChange={(event) => choose(event.target.value)}
          >
            <option value="">{search.q === undefined ? text.sorts.none : text.sorts.relevance}</option>
            {SORTS.filter((sort) => canBeNewest || sort !== 'newest').map((sort) => (
              <option key={sort} value={sort}>
                {text.sorts[sort]}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Understood page={page} search={search} onSearch={onSearch} />
      {page?.partial && <p role="status">{text.partial(page.partial)}</p>}
      {didYouMean !== undefined && (
        <p className={styles.meant}>
          {text.didYouMean}
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

/** The parts of the query that were read as filters, each of which can be searched as words, and back. */
function Understood({
  page,
  search,
  onSearch,
}: {
  page: HitPage | undefined;
  search: PageSearch;
  onSearch: (change: PageSearch) => void;
}) {
  const { asWords = [], q = '' } = search;
  const words = asWords.filter((part) => q.includes(part));
  const understood = page?.understood ?? [];
  if (understood.length + words.length === 0) return null;
  const readAgain = (part: string) => {
    const { asWords: _, ...rest } = search;
    const left = asWords.filter((one) => one !== part);
    onSearch(left.length > 0 ? { ...rest, asWords: left } : rest);
  };
  return (
    <ul className={styles.understood} aria-label={text.understood}>
      {understood.map((part) => (
        <li key={part.text}>
          <button
            type="button"
            className={styles.part}
            title={text.searchAsWords(part.text)}
            onClick={() => onSearch(withWords(search, part.text))}
          >
            {filterText(part.filter, part.values)} <span aria-hidden="true">×</span>
          </button>
        </li>
      ))}
      {words.map((part) => (
        <li key={part}>
          <button
            type="button"
            className={`${styles.part} ${styles.words}`}
            title={text.readAsFilter(part)}
            onClick={() => readAgain(part)}
          >
            {text.asWords}: “{part}” <span aria-hidden="true">×</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The number of hits; announced by screen readers when it changes. */
function Status({ page, query }: { page: HitPage | undefined; query: string | undefined }) {
  if (!page) return <p className={styles.status}>{messages.loading}</p>;
  return (
    <p className={styles.status} role="status" title={query ? text.reason[page.reason ?? 'on'] : undefined}>
      {query ? text.hits(page.total) : text.total(page.total)}
    </p>
  );
}
