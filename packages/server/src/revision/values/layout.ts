import { type Facet, facetKey } from '../keywords/layout.ts';

/**
 * The values that searches by relevance filter by and count, those that differ by letter case alone as one: sections of
 * the revision index file. Indexes of revisions that were registered before they were there lack them.
 */
export const VALUE_LAYOUT = {
  /** Column of every value, as `foldedKey` writes it, sorted. */
  keys: 'values.keys',
  /** Column of the most frequent spelling of each. */
  spellings: 'values.spellings',
  /** A list per value: the documents that have it, ascending. */
  documents: 'values.documents',
} as const;

/** A value of a facet without regard to letter case. */
export function foldedKey(facet: Facet, value: string): string {
  return facetKey(facet, value.toLowerCase());
}
