import type { RelevanceFacets } from '@bindery/contract';
import { useState } from 'react';
import { formatCount } from '../format.ts';
import { messages } from '../messages.ts';
import { FILTERS, type FilterName, type PageSearch, toggled, withoutFilters } from '../url.ts';
import styles from './facets.module.css';

/** How many values of a filter are shown initially. */
const FEW = 7;

/** The filters of a search, with the number of hits for each value; several values of a filter can be chosen. */
export function Facets({
  counts,
  search,
  onSearch,
  showLibraries,
}: {
  counts: RelevanceFacets | undefined;
  search: PageSearch;
  onSearch: (change: PageSearch) => void;
  showLibraries: boolean;
}) {
  const names = FILTERS.filter((name) => showLibraries || name !== 'library');
  const active = names.reduce((sum, name) => sum + (search[name]?.length ?? 0), 0);
  return (
    <details className={styles.facets} open={matchMedia('(min-width: 56rem)').matches}>
      <summary className={styles.summary}>
        {messages.search.filters}
        {active > 0 && <span className={styles.active}>{active}</span>}
      </summary>
      {active > 0 && (
        <button type="button" className={styles.clear} onClick={() => onSearch(withoutFilters(search))}>
          {messages.search.clear}
        </button>
      )}
      {counts &&
        names.map((name) => (
          <Facet
            key={name}
            name={name}
            values={counts[name]}
            chosen={search[name] ?? NONE}
            onToggle={(value) => onSearch(toggled(search, name, value))}
          />
        ))}
    </details>
  );
}

const NONE: readonly string[] = [];

function Facet({
  name,
  values,
  chosen,
  onToggle,
}: {
  name: FilterName;
  values: RelevanceFacets[FilterName];
  chosen: readonly string[];
  onToggle: (value: string) => void;
}) {
  const [all, setAll] = useState(false);
  if (values.length === 0) return null;
  const isChosen = (value: string) => chosen.some((one) => one.toLowerCase() === value.toLowerCase());
  const shown = all ? values : values.filter(({ value }, at) => at < FEW || isChosen(value));
  const hidden = values.length - shown.length;
  return (
    <fieldset className={styles.facet}>
      <legend className={styles.legend}>{messages.search[name]}</legend>
      {shown.map(({ value, count }) => (
        <label key={value} className={styles.value}>
          <input type="checkbox" checked={isChosen(value)} onChange={() => onToggle(value)} />
          <span className={styles.name} title={value}>
            {value}
          </span>
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
