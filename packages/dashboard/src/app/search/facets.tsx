import type { FacetCounts } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { formatCount } from '../format.ts';
import { messages } from '../messages.ts';
import { shareOf } from '../queries.ts';
import { service } from '../session.ts';
import type { PageSearch } from '../url.ts';
import styles from './facets.module.css';
import type { Scope } from './hits-query.ts';

const NAMES = ['kind', 'category', 'license', 'tag'] as const;
type FacetName = (typeof NAMES)[number];

/** How many values of a filter are shown before one asks for more. */
const FEW = 7;

/** The filters of a search, with how many hits each value would leave. */
export function Facets({
  scope,
  search,
  onSearch,
}: {
  scope: Scope;
  search: PageSearch;
  onSearch: (change: PageSearch) => void;
}) {
  const { data } = useQuery(countsQuery(scope, useDeferredValue(search)));
  const active = NAMES.filter((name) => search[name] !== undefined);
  const choose = (name: FacetName, value: string | undefined) => onSearch({ ...search, [name]: value });
  return (
    <details className={styles.facets} open={matchMedia('(min-width: 56rem)').matches}>
      <summary className={styles.summary}>
        {messages.search.filters}
        {active.length > 0 && <span className={styles.active}>{active.length}</span>}
      </summary>
      {active.length > 0 && (
        <button
          type="button"
          className={styles.clear}
          onClick={() => onSearch({ q: search.q, share: search.share })}
        >
          {messages.search.clear}
        </button>
      )}
      {data &&
        NAMES.map((name) => (
          <Facet
            key={name}
            name={name}
            values={data[name]}
            chosen={search[name]}
            onChoose={(value) => choose(name, value)}
          />
        ))}
    </details>
  );
}

function Facet({
  name,
  values,
  chosen,
  onChoose,
}: {
  name: FacetName;
  values: FacetCounts[FacetName];
  chosen: string | undefined;
  onChoose: (value: string | undefined) => void;
}) {
  const [all, setAll] = useState(false);
  if (values.length === 0) return null;
  const shown = all ? values : values.filter(({ value }, at) => at < FEW || value === chosen);
  const hidden = values.length - shown.length;
  return (
    <fieldset className={styles.facet}>
      <legend className={styles.legend}>{messages.search[name]}</legend>
      {shown.map(({ value, count }) => (
        <label key={value} className={styles.value}>
          <input
            type="checkbox"
            checked={value === chosen}
            onChange={() => onChoose(value === chosen ? undefined : value)}
          />
          <span className={styles.name}>{value}</span>
          <span className={styles.count}>{formatCount(count)}</span>
        </label>
      ))}
      {(hidden > 0 || all) && (
        <button type="button" className={styles.more} onClick={() => setAll(!all)}>
          {all ? messages.search.fewer : messages.search.more(hidden)}
        </button>
      )}
    </fieldset>
  );
}

function countsQuery(scope: Scope, { share: _, ...request }: PageSearch) {
  return queryOptions({
    queryKey: ['facets', scope, request],
    queryFn: async ({ signal }) => {
      if (scope.kind === 'libraries') {
        const query = { ...request, libraries: scope.addresses.join(',') };
        return (await service.call(routes.search.countLibrariesFacets, { query, signal })).facets;
      }
      const { namespace, library, share } = scope;
      const { facets } = await service.call(routes.search.countLibraryFacets, {
        params: { namespace, name: library },
        query: { ...request, ...shareOf(share) },
        signal,
      });
      return facets;
    },
    placeholderData: keepPreviousData,
    enabled: scope.kind === 'library' || scope.addresses.length > 0,
  });
}
