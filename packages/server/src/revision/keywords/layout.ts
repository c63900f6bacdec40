/**
 * The keyword index of one revision: sections of the revision index file. Documents are numbered in the order of
 * their ids. A posting is `document << FIELD_BITS | fields`.
 */
export const LAYOUT = {
  /** A single number. */
  documentCount: 'keyword.documentCount',
  /** Column of every token, sorted. */
  tokens: 'keyword.tokens',
  /** A list of postings per token, by document. */
  postings: 'keyword.postings',
  /** Codes (see `prefixCode`) of the prefixes that have merged postings, ascending. */
  prefixes: 'keyword.prefixes',
  /** A list per such prefix: one posting for each document that has any token beginning with it. */
  prefixPostings: 'keyword.prefixPostings',
  /** Column of every filter value, as `facetKey` writes it, sorted. */
  facets: 'keyword.facets',
  /** A list per filter value: the documents that have it, ascending. */
  facetDocuments: 'keyword.facetDocuments',
} as const;

/** What searches filter by; `license` is the effective one. */
export type Facet = 'category' | 'kind' | 'license' | 'tag';

export function facetKey(facet: Facet, value: string): string {
  return `${facet}\0${value}`;
}

/** Prefixes up to this length can have merged postings; longer ones have few tokens. */
export const LONGEST_MERGED_PREFIX = 3;

/** Returns a unique number for a prefix of 1 to 3 characters of `[a-z0-9]`. */
export function prefixCode(prefix: string): number {
  return Number.parseInt(`1${prefix}`, 36);
}
