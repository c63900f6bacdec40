import {
  type AskedFilters,
  type EmptyingFilters,
  isLicenseClass,
  type RelevanceFacets,
  SEARCH_FILTERS,
  type SearchFilter,
} from '@bindery/contract';
import type { CountedHits } from './collect-hits.ts';

/** How many values of a filter are named. */
const MAX_NAMED = 10;

/**
 * Returns the filters because of which nothing was found: each without which there are hits; if there is none, all of
 * them, provided that there are hits without any.
 */
export async function findEmptying(
  found: CountedHits,
  asked: AskedFilters,
  find: (asked: AskedFilters, counting: boolean) => Promise<CountedHits>,
): Promise<EmptyingFilters[]> {
  const filters = SEARCH_FILTERS.filter((filter) => asked[filter] !== undefined);
  if (filters.length === 0) return [];
  const { tally } = found.tally === null ? await find(asked, true) : found;
  const existing = await tally?.lists();
  const alone = filters.map((filter) => ({
    filters: [describe(filter, asked, { tally, existing })],
    hits: tally?.without(filter) ?? 0,
  }));
  const emptying = alone.filter(({ hits }) => hits > 0);
  if (emptying.length > 0 || filters.length === 1) return emptying;
  const unfiltered = await find({}, true);
  if (unfiltered.total === 0) return [];
  const all = { tally: unfiltered.tally, existing: await unfiltered.tally?.lists() };
  return [{ filters: filters.map((filter) => describe(filter, asked, all)), hits: unfiltered.total }];
}

function describe(
  filter: SearchFilter,
  asked: AskedFilters,
  { tally, existing }: Pick<CountedHits, 'tally'> & { existing: RelevanceFacets | undefined },
): EmptyingFilters['filters'][number] {
  const values = asked[filter] ?? [];
  const facet = filter === 'license' && values.some(isLicenseClass) ? 'licenseClass' : filter;
  const counted = existing?.[facet].filter(({ count }) => count > 0) ?? [];
  return {
    filter,
    values,
    existing: counted.slice(0, MAX_NAMED),
    unmeasured: tally?.unmeasured(filter) ?? 0,
  };
}
