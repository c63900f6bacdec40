import type { Facet } from '../../revision/keywords/keyword-index.ts';

/** The facets that searches by relevance filter by and count. */
export const RELEVANCE_FACETS = ['kind', 'category', 'license', 'tag', 'library'] as const;
export type RelevanceFacet = Facet | 'library';

/** The conditions of a search that each asset fails: one bit per facet, and one for phrases and exclusions. */
export type Misses = Uint8Array;

export const OTHER_MISS: number = 1 << RELEVANCE_FACETS.length;

export function missBit(facet: RelevanceFacet): number {
  return 1 << RELEVANCE_FACETS.indexOf(facet);
}

const ALL_FACETS = OTHER_MISS - 1;

/**
 * The facets that an asset is counted in, as bits, by the conditions that it fails: all facets if it fails none, and
 * the facet of a filter if it fails that filter alone, since a facet's counts ignore its own filter.
 */
export const COUNTED_IN: Uint8Array = Uint8Array.from({ length: 2 * OTHER_MISS }, (_, misses) => {
  if (misses === 0) return ALL_FACETS;
  const isOneFacet = misses < OTHER_MISS && (misses & (misses - 1)) === 0;
  return isOneFacet ? misses : 0;
});
