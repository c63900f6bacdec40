import { routes } from '@bindery/contract/wire';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { homeMessages } from '../messages/home.ts';
import { searchMessages } from '../messages/search.ts';
import { LibraryGrid } from '../parts/library-card.tsx';
import { EmptyState, FailureNotice } from '../parts/notices.tsx';
import { Pager } from '../parts/pager.tsx';
import { Select } from '../parts/select.tsx';
import { sessionQuery } from '../queries.ts';
import { service } from '../session.ts';
import { type HomeSearch, LIBRARY_ORDERS } from '../url.ts';
import styles from './home.module.css';

const route = getRouteApi('/');

const PER_PAGE = 24;

/** Part of the libraries of the home page. */
export const homeLibrariesQuery = ({ of, by, page = '1' }: HomeSearch) =>
  queryOptions({
    queryKey: ['libraries', 'of', of ?? 'all', by ?? 'updated', page],
    queryFn: ({ signal }) =>
      service.call(routes.libraries.listAllLibraries, {
        query: {
          of: of ?? 'all',
          sort: by ?? 'updated',
          limit: PER_PAGE,
          offset: (Number(page) - 1) * PER_PAGE,
          srcset: 'true',
          uses: 'true',
        },
        signal,
      }),
    placeholderData: keepPreviousData,
  });

/** The libraries that the viewer may read, their own or their favourites, page by page. */
export function HomeLibraries({ empty }: { empty: ReactNode }) {
  const text = homeMessages;
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const { data, error, refetch } = useQuery(homeLibrariesQuery(search));
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  if (!data) return null;
  const { of, by, page = '1' } = search;
  const total = data.total ?? 0;
  if (total === 0 && of === undefined) return empty;
  const counts = data.libraries.some(({ downloads }) => downloads !== undefined);
  const orders = (['updated', ...LIBRARY_ORDERS] as const)
    .filter((order) => counts || (order !== 'downloads' && order !== 'used'))
    .map((order) => [order, text.orders[order]] as const);
  return (
    <>
      <div className={`row ${styles.head}`}>
        {session && (
          <nav aria-label={text.which} className="tabs">
            {([undefined, 'mine', 'favourites'] as const).map((which) => (
              <Link
                key={which ?? 'all'}
                to="/"
                search={{ ...(which && { of: which }), ...(by && { by }) }}
                activeOptions={{ exact: true }}
                {...(which === of && { 'aria-current': 'page' })}
              >
                {text.sets[which ?? 'all']}
              </Link>
            ))}
          </nav>
        )}
        <label>
          {searchMessages.sort}{' '}
          <Select
            value={by ?? 'updated'}
            options={orders}
            onChange={(order) =>
              navigate({ search: { ...(of && { of }), ...(order !== 'updated' && { by: order }) } })
            }
          />
        </label>
      </div>
      {total === 0 ? (
        <EmptyState title={of === 'mine' ? text.noneMine : text.noneFavourite}>
          <p>{of === 'mine' ? text.noneMineDetail : text.noneFavouriteDetail}</p>
        </EmptyState>
      ) : (
        <LibraryGrid libraries={data.libraries} />
      )}
      <Pager
        page={Number(page)}
        totalPages={Math.ceil(total / PER_PAGE)}
        onPage={(next) => navigate({ search: { ...search, page: String(next) } })}
      />
    </>
  );
}
