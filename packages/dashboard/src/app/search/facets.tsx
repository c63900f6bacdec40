import type { RelevanceFacets, UnderstoodPart } from '@bindery/contract';
import { describeRange, isLicenseClass, isMeasure, readRange } from '@bindery/contract/wire';
import { useState } from 'react';
import { formatCount, formatName } from '../format.ts';
import { searchMessages } from '../messages/search.ts';
import {
  FILTERS,
  type FilterName,
  type PageSearch,
  type SearchProps,
  toggled,
  withoutFilters,
  withWords,
} from '../url.ts';
import styles from './facets.module.css';

/** How many values of a filter are shown initially. */
const FEW = 7;

/** The filters of a search, with the number of hits for each value; several values of a filter can be chosen. */
export function Facets({
  counts,
  understood,
  search,
  onSearch,
  showLibraries,
}: SearchProps & {
  counts: RelevanceFacets | undefined;
  /** The parts of the query that were read as filters, which are chosen as well. */
  understood: readonly UnderstoodPart[];
  showLibraries: boolean;
}) {
  const names = FILTERS.filter((name) => showLibraries || name !== 'library');
  const active = names.reduce((sum, name) => sum + (search[name]?.length ?? 0), 0);
  return (
    <details className={styles.facets} open={matchMedia('(min-width: 56rem)').matches}>
      <summary className={styles.summary}>
        {searchMessages.filters}
        {active > 0 && <span className="badge">{active}</span>}
      </summary>
      {active > 0 && (
        <button
          type="button"
          className={`text-button ${styles.choice}`}
          onClick={() => onSearch(withoutFilters(search))}
        >
          {searchMessages.clear}
        </button>
      )}
      {counts &&
        names.map((name) => (
          <Facet
            key={name}
            name={name}
            values={valuesOf(counts, name)}
            chosen={search[name] ?? readValues(understood, name)}
            onToggle={(value) => onSearch(changed(search, name, value, understood))}
          />
        ))}
    </details>
  );
}

/** The values of a filter in the order in which they are listed: classes of licences first, ranges by size. */
function valuesOf(counts: RelevanceFacets, name: FilterName): RelevanceFacets[FilterName] {
  if (name === 'license') return [...counts.licenseClass, ...counts.license];
  if (!isMeasure(name)) return counts[name];
  const endOf = (value: string) => readRange(value)?.most ?? 0;
  return counts[name].toSorted((a, b) => endOf(a.value) - endOf(b.value));
}

function readValues(understood: readonly UnderstoodPart[], name: FilterName): string[] {
  return understood.filter(({ filter }) => filter === name).flatMap(({ values }) => values);
}

/** Returns the search with a value toggled. What was read in the query is toggled too: it is searched as words then. */
function changed(
  search: PageSearch,
  name: FilterName,
  value: string,
  understood: readonly UnderstoodPart[],
): PageSearch {
  const read = search[name] === undefined ? readValues(understood, name) : [];
  const next = toggled(read.length === 0 ? search : { ...search, [name]: read }, name, value);
  if (read.length === 0 || next[name] !== undefined) return next;
  const parts = understood.filter(({ filter }) => filter === name);
  return parts.reduce((changing, { text }) => withWords(changing, text), next);
}

/** Whether a filter only helps where there is a choice. */
function needsChoice(name: FilterName): boolean {
  return isMeasure(name) || name === 'has' || name === 'format' || name === 'author';
}

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
  if (chosen.length === 0 && values.length === 1 && needsChoice(name)) return null;
  const isChosen = (value: string) => chosen.some((one) => one.toLowerCase() === value.toLowerCase());
  const shown = all ? values : values.filter(({ value }, at) => at < FEW || isChosen(value));
  const hidden = values.length - shown.length;
  return (
    <fieldset className={styles.facet}>
      <legend className={`small ${styles.legend}`}>{searchMessages[name]}</legend>
      {shown.map(({ value, count }) => (
        <label key={value} className={styles.value}>
          <input type="checkbox" checked={isChosen(value)} onChange={() => onToggle(value)} />
          <span className="one-line" title={value}>
            {filterValueText(name, value)}
          </span>
          <span className="small">{formatCount(count)}</span>
        </label>
      ))}
      {(hidden > 0 || all) && (
        <button type="button" className={`text-button ${styles.choice}`} onClick={() => setAll(!all)}>
          {all ? searchMessages.fewer : searchMessages.more(hidden)}
        </button>
      )}
    </fieldset>
  );
}

/** A value of a filter as people read it. */
export function filterValueText(name: FilterName, value: string): string {
  const { features, licenseClasses } = searchMessages;
  if (isMeasure(name)) return describeRange(name, value);
  if (name === 'kind') return formatName({ kind: value });
  if (name === 'has') return features[value as keyof typeof features] ?? value;
  if (name === 'license' && isLicenseClass(value))
    return licenseClasses[value.toLowerCase() as keyof typeof licenseClasses];
  return value;
}

/** A filter with its values: `Licence: MIT or Apache-2.0`. */
export function filterText(name: FilterName, values: readonly string[]): string {
  const written = values.map((value) => filterValueText(name, value));
  return searchMessages.filter(searchMessages[name], written);
}
