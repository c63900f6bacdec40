import {
  isLicenseClass,
  isMeasure,
  LIMITS,
  SEARCH_FACETS,
  type SearchFacet,
  type SearchFilter,
} from '@bindery/contract';
import type {
  CountedValue,
  EngineCounts,
  EngineFilters,
  EngineScope,
} from '../../search/engine/search-engine.ts';
import { SEPARATOR, valueKey } from './documents.ts';
import { all, filterConditions, isUnmeasured, type Query, within } from './queries.ts';

/** How many spellings of values of a facet are counted: those of more values than are shown. */
const COUNTED = 3 * LIMITS.facetValues;

interface Bucket {
  key: string;
  doc_count: number;
}

interface Counted {
  doc_count: number;
  values?: { buckets: Bucket[] };
  asked?: { buckets: Record<string, { doc_count: number }> };
  unmeasured?: { doc_count: number };
}

export type Aggregations = Record<string, Counted>;

/** The filter that takes the values of a facet. */
function filterOf(facet: SearchFacet): SearchFilter {
  return facet === 'licenseClass' ? 'license' : facet;
}

/** Counts the values of each facet among what passes all other filters. */
export function facetAggregations(filters: EngineFilters, { libraries }: EngineScope): Record<string, Query> {
  const conditions = filterConditions(filters);
  return Object.fromEntries(
    SEARCH_FACETS.map((facet) => {
      const others = [...conditions]
        .filter(([filter]) => filter !== filterOf(facet))
        .map(([, query]) => query);
      return [facet, { filter: all(others), aggs: countsOf(facet, filters, libraries.length) }];
    }),
  );
}

function countsOf(facet: SearchFacet, { asked }: EngineFilters, libraries: number): Query {
  if (facet === 'library') return { values: { terms: { field: 'library', size: Math.max(1, libraries) } } };
  const values = { terms: { field: `counted.${facet}`, size: COUNTED, shard_size: 2 * COUNTED } };
  const wanted = asked[facet === 'licenseClass' ? 'license' : facet] ?? [];
  const own = wanted.filter(
    (value) =>
      (facet !== 'license' && facet !== 'licenseClass') ||
      isLicenseClass(value) === (facet === 'licenseClass'),
  );
  if (own.length === 0) return { values };
  const filters = Object.fromEntries(
    own.map((value) => [
      value,
      isMeasure(facet) ? within(facet, [value]) : { term: { values: valueKey(facet, value.toLowerCase()) } },
    ]),
  );
  return { values, asked: { filters: { filters } }, unmeasured: { filter: isUnmeasured() } };
}

export function decodeCounts(aggregations: Aggregations, { asked, libraries }: EngineFilters): EngineCounts {
  const values = new Map<Exclude<SearchFacet, 'library'>, CountedValue[]>();
  const without = new Map<SearchFilter, number>();
  const unmeasured = new Map<SearchFilter, number>();
  for (const facet of SEARCH_FACETS) {
    const counted = aggregations[facet];
    if (facet === 'library' || counted === undefined) continue;
    values.set(facet, valuesOf(counted));
    if (facet === 'licenseClass' || asked[facet] === undefined) continue;
    without.set(facet, counted.doc_count);
    if (isMeasure(facet) && facet !== 'bytes') unmeasured.set(facet, counted.unmeasured?.doc_count ?? 0);
  }
  if (libraries !== null) without.set('library', aggregations.library?.doc_count ?? 0);
  const buckets = aggregations.library?.values?.buckets ?? [];
  return { values, without, unmeasured, libraries: librariesOf(buckets) };
}

export function librariesOf(buckets: readonly Bucket[]): Map<number, number> {
  return new Map(buckets.map(({ key, doc_count: count }) => [Number(key), count]));
}

/** Adds up the spellings of each value; it is shown in the most frequent one. */
export function valuesOf({ values, asked }: Pick<Counted, 'values' | 'asked'>): CountedValue[] {
  const counts = new Map<string, CountedValue>();
  for (const { key: spelled, doc_count: count } of values?.buckets ?? []) {
    const [key = '', value = ''] = spelled.split(SEPARATOR);
    const known = counts.get(key);
    if (known) known.count += count;
    else counts.set(key, { key, value, count });
  }
  for (const [value, { doc_count: count }] of Object.entries(asked?.buckets ?? {})) {
    const key = value.toLowerCase();
    if (!counts.has(key) && count > 0) counts.set(key, { key, value, count });
  }
  return [...counts.values()];
}
