import type { Facet } from '../../revision/keywords/layout.ts';

/** What searches by relevance filter by and count. */
export const RELEVANCE_FACETS = ['kind', 'category', 'license', 'tag', 'library'] as const;
export type RelevanceFacet = Facet | 'library';

/** Which conditions of a search an asset fails: a bit for each facet, and one for phrases and exclusions. */
export type Misses = Uint8Array;

export const OTHER_MISS: number = 1 << RELEVANCE_FACETS.length;

export function missBit(facet: RelevanceFacet): number {
  return 1 << RELEVANCE_FACETS.indexOf(facet);
}

const ALL_FACETS = OTHER_MISS - 1;

/**
 * The facets that an asset is counted in, as bits, by what it fails: in all if it fails nothing, and where it fails one
 * filter alone, in the facet of that filter, whose counts leave it out.
 */
export const COUNTED_IN: Uint8Array = Uint8Array.from({ length: 2 * OTHER_MISS }, (_, misses) => {
  if (misses === 0) return ALL_FACETS;
  const isOneFacet = misses < OTHER_MISS && (misses & (misses - 1)) === 0;
  return isOneFacet ? misses : 0;
});
