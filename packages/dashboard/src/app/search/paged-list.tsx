import { keepPreviousData, type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useDeferredValue } from 'react';
import { answerOf } from '../connection.ts';
import { EmptyState, FailureNotice } from '../parts/notices.tsx';
import { Pager } from '../parts/pager.tsx';
import type { ListSearch } from '../url.ts';
import { SearchBox } from './search-box.tsx';

interface Page {
  total: number;
  page: number;
  totalPages: number;
}

interface PagedListProps<Found> {
  /** Returns the query for a page of the list. */
  query: (page: { search: string; page: string }) => UseQueryOptions<Found, Error, Found, QueryKey>;
  /** Shown if the viewer may see the list. */
  heading?: ReactNode;
  text: {
    title: string;
    search: string;
    count?: (total: number) => string;
    none: string;
    /** What to do where there is nothing yet. */
    noneDetail?: string;
    /** Said instead of `none` where the search finds nothing. */
    noneFound?: string;
  };
  /** Further fields below that of the search. */
  filters?: ReactNode;
  /** Whether the items are cards, not lines of one. */
  isCards?: boolean;
  /** The items of a page. */
  children: (found: Found) => ReactNode;
  after?: (found: Found) => ReactNode;
}

/** A list that is searched and paged by the address of its page. */
export function PagedList<Found extends Page>({
  query: queryFor,
  heading,
  text,
  filters,
  isCards = false,
  children,
  after,
}: PagedListProps<Found>) {
  const { q, page }: ListSearch = useSearch({ strict: false });
  const list = useDeferredValue(JSON.stringify({ search: q ?? '', page: page ?? '1' }));
  const navigate = useNavigate();
  const query = useQuery({ ...queryFor(JSON.parse(list)), placeholderData: keepPreviousData });
  const found = answerOf(query);
  if (query.error) return <FailureNotice error={query.error} onRetry={() => query.refetch()} />;
  const items = found !== undefined && found.total > 0 && (
    <>
      {text.count && <p className="detail">{text.count(found.total)}</p>}
      {isCards ? children(found) : <ul className="list">{children(found)}</ul>}
      <Pager
        page={found.page}
        totalPages={found.totalPages}
        onPage={(next) => navigate({ to: '.', search: (now) => ({ ...now, page: String(next) }) })}
      />
    </>
  );
  return (
    <>
      {heading}
      <SearchBox
        label={text.search}
        placeholder={text.search}
        value={q ?? ''}
        onChange={(typed) =>
          navigate({
            to: '.',
            search: ({ page: _, ...now }) => ({ ...now, q: typed }),
            replace: true,
            resetScroll: false,
          })
        }
      />
      {filters}
      {found?.total === 0 && (
        <EmptyState title={(q !== undefined && text.noneFound) || text.none}>
          {q === undefined && text.noneDetail && <p>{text.noneDetail}</p>}
        </EmptyState>
      )}
      {isCards || !items ? (
        items
      ) : (
        <section className="card" aria-label={text.title}>
          {items}
        </section>
      )}
      {found !== undefined && after?.(found)}
    </>
  );
}
