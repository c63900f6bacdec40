import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useDeferredValue } from 'react';
import { answerOf } from '../connection.ts';
import form from '../parts/form.module.css';
import { FailureNotice } from '../parts/notices.tsx';
import { Pager } from '../parts/pager.tsx';
import { type ListSearch, pageQueryOf } from '../url.ts';
import { SearchBox } from './search-box.tsx';

interface Page {
  total: number;
  page: number;
  totalPages: number;
}

/** A list that is searched and paged by the address of its page. */
export function PagedList<Found extends Page>({
  queryKey,
  read,
  heading,
  text,
  filters,
  empty,
  isCards = false,
  children,
  after,
}: {
  /** Identifies the list, without its search, in the query cache. */
  queryKey: readonly unknown[];
  read: (query: ReturnType<typeof pageQueryOf>, signal: AbortSignal) => Promise<Found>;
  /** Shown if the viewer may see the list. */
  heading?: ReactNode;
  text: { title: string; search: string; count?: (total: number) => string };
  /** Further fields below that of the search. */
  filters?: ReactNode;
  empty: ReactNode;
  /** Whether the items are cards, not lines of one. */
  isCards?: boolean;
  /** The items of a page. */
  children: (found: Found) => ReactNode;
  after?: (found: Found) => ReactNode;
}) {
  const { q, page }: ListSearch = useSearch({ strict: false });
  const list = useDeferredValue(JSON.stringify({ q, page }));
  const navigate = useNavigate();
  const query = useQuery({
    queryKey: [...queryKey, list],
    queryFn: ({ signal }) => read(pageQueryOf(JSON.parse(list)), signal),
    placeholderData: keepPreviousData,
  });
  const found = answerOf(query);
  if (query.error) return <FailureNotice error={query.error} onRetry={() => query.refetch()} />;
  const items = found !== undefined && found.total > 0 && (
    <>
      {text.count && <p className={form.soft}>{text.count(found.total)}</p>}
      {isCards ? children(found) : <ul className={form.list}>{children(found)}</ul>}
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
      {found?.total === 0 && empty}
      {items &&
        (isCards ? (
          items
        ) : (
          <section className={form.card} aria-label={text.title}>
            {items}
          </section>
        ))}
      {found !== undefined && after?.(found)}
    </>
  );
}
