import type { EmptyingFilters, SearchMatch } from '@bindery/contract';
import { useQueries, useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useState } from 'react';
import { answerOf } from '../connection.ts';
import { searchMessages as text } from '../messages/search.ts';
import { Button } from '../parts/button.tsx';
import { EmptyState, FailureNotice } from '../parts/notices.tsx';
import { hasCriteria, type PageSearch, type SearchProps, withoutFilter, withoutFilters } from '../url.ts';
import { useSettled } from '../use-settled.ts';
import { Facets, filterText, filterValueText } from './facets.tsx';
import { HitGrid } from './hit-grid.tsx';
import { HITS_PER_PAGE, type HitPage, hitsQuery, type Scope } from './hits-query.ts';
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
  hasPlaces = false,
}: SearchProps & {
  scope: Scope;
  label: string;
  /** Shown if there is nothing to list and no search was made. */
  empty: ReactNode;
  /** Whether libraries or namespaces were found above, so that no assets is not nothing. */
  hasPlaces?: boolean;
}) {
  const { first, hitAt, see, isNow, failed } = useHits(scope, search, 'words');
  const everywhere = scope.kind === 'everything';
  const isAtEnd = isNow && (first?.total === 0 || hitAt((first?.total ?? 0) - 1) !== undefined);
  const noHits = hasPlaces ? null : <NoHits page={first} search={search} onSearch={onSearch} />;
  const nothing = hasCriteria(search) ? noHits : empty;
  const hasFilters = Object.keys(withoutFilters(search)).length < Object.keys(search).length;

  return (
    <div className={`stack ${styles.columns}`}>
      {(first?.total !== 0 || hasFilters) && (
        <Facets
          counts={first?.facets}
          understood={first?.understood ?? []}
          search={search}
          onSearch={onSearch}
          showLibraries={everywhere}
        />
      )}
      <section className={styles.hits} aria-label={label}>
        <ResultsHead
          page={first}
          query={search.q}
          search={search}
          onSearch={onSearch}
          canBeNewest={everywhere}
        />
        {failed ? (
          <FailureNotice error={failed.error} onRetry={() => failed.refetch()} />
        ) : first?.total === 0 ? (
          nothing
        ) : (
          <HitGrid total={first?.total ?? 0} hitAt={hitAt} onSee={see} showLibrary={everywhere} />
        )}
        {isAtEnd && search.q !== undefined && <RelatedHits scope={scope} search={search} />}
      </section>
    </div>
  );
}

/** How many hits before and after those on the screen are fetched ahead. */
const AHEAD = 20;

const pageOf = (index: number) => Math.floor(index / HITS_PER_PAGE);

/** The first page of hits, and those of the rest on which the eye rests; `see` says what is on the screen. */
function useHits(scope: Scope, search: PageSearch, match: SearchMatch & string) {
  const [seen, setSeen] = useState({ from: 1, to: 0 });
  const see = useCallback((first: number, last: number) => {
    const [from, to] = [Math.max(1, pageOf(first - AHEAD)), pageOf(last + AHEAD)];
    setSeen((known) => (known.from === from && known.to === to ? known : { from, to }));
  }, []);
  const { from, to } = useSettled(seen);
  const query = useQuery(hitsQuery(scope, search, match, 0));
  const first = answerOf(query);
  const isNow = first !== undefined && !query.isPlaceholderData;
  const last = isNow ? Math.min(to, pageOf(first.total - 1)) : 0;
  const numbers = Array.from({ length: Math.max(0, last - from + 1) }, (_, at) => from + at);
  const others = useQueries({ queries: numbers.map((page) => hitsQuery(scope, search, match, page)) });
  const hitAt = (index: number) => {
    const page = pageOf(index);
    return (page === 0 ? first : others[page - from]?.data)?.hits[index % HITS_PER_PAGE];
  };
  return { first, hitAt, see, isNow, failed: [query, ...others].find(({ error }) => error !== null) };
}

/** How much of what is only related is shown before more is asked for. */
const FEW = 6;

/** Assets that have none of the query's words and are close to it in meaning; empty if there are none. */
function RelatedHits({ scope, search }: { scope: Scope; search: PageSearch }) {
  const { first, hitAt, see } = useHits(scope, search, 'meaning');
  const [isWhole, setWhole] = useState(false);
  if (first === undefined || first.total === 0) return null;
  const title = text.related(first.total);
  return (
    <section aria-label={title} className={`stack ${styles.related}`}>
      <h2>{title}</h2>
      <HitGrid
        total={isWhole ? first.total : Math.min(FEW, first.total)}
        hitAt={hitAt}
        onSee={see}
        showLibrary={scope.kind === 'everything'}
      />
      {!isWhole && first.total > FEW && <Button label={text.showMore} onClick={() => setWhole(true)} />}
    </section>
  );
}

/** Says that nothing matches and because of what, and offers what would find more. */
function NoHits({ page, search, onSearch }: SearchProps & { page: HitPage | undefined }) {
  const { q = '' } = search;
  const { emptied = [], understood = [] } = page ?? {};
  const unquoted = q.replaceAll('"', '');
  const unfiltered = withoutFilters(search);
  const hasFilters = Object.keys(unfiltered).length < Object.keys(search).length;
  const without = (filters: readonly EmptyingFilter[]) =>
    onSearch(filters.reduce((left, { filter }) => withoutFilter(left, filter, understood), search));
  return (
    <EmptyState title={text.none}>
      {page?.reason === 'unknown-words' && <p>{text.reason['unknown-words']}</p>}
      {emptied.length === 0 && (
        <p>
          {endsInOneLetter(q)
            ? text.oneLetter
            : unquoted !== q
              ? text.noneQuoted
              : hasFilters
                ? text.noneFiltered
                : text.noneDetail}
        </p>
      )}
      {emptied.map(({ filters, hits }) => (
        <div key={filters.map(({ filter }) => filter).join()} className={styles.emptied}>
          <p>
            {text.emptied(
              filters.map(({ filter, values }) => filterText(filter, values)),
              hits,
            )}{' '}
            {filters.length === 1 && existingText(filters)} {unmeasuredText(filters)}
          </p>
          <Button
            label={text.without(filters.map(({ filter }) => text[filter]).join(', '))}
            onClick={() => without(filters)}
          />
        </div>
      ))}
      {unquoted !== q && <Button label={text.unquote} onClick={() => onSearch({ ...search, q: unquoted })} />}
      {hasFilters && <Button label={text.unfilter} onClick={() => onSearch(unfiltered)} />}
    </EmptyState>
  );
}

type EmptyingFilter = EmptyingFilters['filters'][number];

function existingText(filters: readonly EmptyingFilter[]): string {
  const values = filters.flatMap(({ filter, existing }) =>
    existing.map(({ value, count }) => `${filterValueText(filter, value)} (${count})`),
  );
  return values.length === 0 ? '' : text.existing(values);
}

function unmeasuredText(filters: readonly EmptyingFilter[]): string {
  const most = Math.max(...filters.map(({ unmeasured }) => unmeasured));
  return most === 0 ? '' : text.unmeasured(most);
}

/** The service matches word prefixes from two letters on. */
function endsInOneLetter(query: string): boolean {
  return /(^|\s)\S$/u.test(query);
}
