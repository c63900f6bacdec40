import { type Facet, facetKey } from '../keywords/layout.ts';

/**
 * The values that searches by relevance filter by and count, where those that differ only in letter case are one:
 * sections of the revision index file. Older indexes lack them.
 */
export const VALUE_LAYOUT = {
  /** Column of every value, as `foldedKey` writes it, sorted. */
  keys: 'values.keys',
  /** Column of the most frequent spelling of each. */
  spellings: 'values.spellings',
  /** A list per value: the documents that have it, ascending. */
  documents: 'values.documents',
} as const;

/** Returns the key of a value, ignoring letter case. */
export function foldedKey(facet: Facet, value: string): string {
  return facetKey(facet, value.toLowerCase());
}
