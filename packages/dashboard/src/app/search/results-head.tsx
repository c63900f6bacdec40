import { searchMessages as text } from '../messages/search.ts';
import { messages } from '../messages.ts';
import { Select } from '../parts/select.tsx';
import { type SearchProps, SORTS, type Sort, withWords } from '../url.ts';
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
}: SearchProps & { page: HitPage | undefined; query: string | undefined; canBeNewest: boolean }) {
  const { didYouMean } = page ?? {};
  const { sort: _, ...unsorted } = search;
  const sorts = SORTS.filter((sort) => canBeNewest || sort !== 'newest');
  const choose = (sort: string) => onSearch(sort === '' ? unsorted : { ...unsorted, sort: sort as Sort });
  return (
    <>
      <div className={`row ${styles.head}`}>
        <Status page={page} query={query} />
        {page?.total !== 0 && (
          <label className="row detail">
            {text.sort}
            <Select<string>
              value={search.sort ?? ''}
              options={{
                '': text.sorts[search.q === undefined ? 'none' : 'relevance'],
                ...Object.fromEntries(sorts.map((sort) => [sort, text.sorts[sort]])),
              }}
              onChange={choose}
            />
          </label>
        )}
      </div>
      <Understood page={page} search={search} onSearch={onSearch} />
      {page?.partial && <p role="status">{text.partial(page.partial)}</p>}
      {didYouMean !== undefined && (
        <p className={styles.meant}>
          {text.didYouMean}
          <button
            type="button"
            className={`text-button ${styles.correction}`}
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
function Understood({ page, search, onSearch }: SearchProps & { page: HitPage | undefined }) {
  const { asWords = [], q = '' } = search;
  const words = asWords.filter((part) => q.includes(part));
  const understood = page?.understood ?? [];
  const readAgain = (part: string) => {
    const { asWords: _, ...rest } = search;
    const left = asWords.filter((one) => one !== part);
    onSearch(left.length > 0 ? { ...rest, asWords: left } : rest);
  };
  const parts = [
    ...understood.map(({ text: part, filter, values }) => ({
      part,
      label: filterText(filter, values),
      title: text.searchAsWords(part),
      change: () => onSearch(withWords(search, part)),
    })),
    ...words.map((part) => ({
      part,
      label: `${text.asWords}: “${part}”`,
      title: text.readAsFilter(part),
      change: () => readAgain(part),
    })),
  ];
  if (parts.length === 0) return null;
  return (
    <ul className={`row ${styles.understood}`} aria-label={text.understood}>
      {parts.map(({ part, label, title, change }, at) => (
        <li key={part}>
          <button
            type="button"
            className={at < understood.length ? styles.part : `${styles.part} ${styles.words}`}
            title={title}
            onClick={change}
          >
            {label} <span aria-hidden="true">×</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The number of hits; announced by screen readers when it changes. */
function Status({ page, query }: { page: HitPage | undefined; query: string | undefined }) {
  if (!page) return <p className={`detail ${styles.status}`}>{messages.loading}</p>;
  return (
    <p
      className={`detail ${styles.status}`}
      role="status"
      title={query ? text.reason[page.reason ?? 'on'] : undefined}
    >
      {query ? text.hits(page.total) : text.total(page.total)}
    </p>
  );
}
