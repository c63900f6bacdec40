/**
 * The keyword index of one revision as flat arrays, as they lie in the revision index file. Documents are numbered in
 * the order of their ids. A posting is `document << FIELD_BITS | fields`. List `n` of a pair of values and offsets
 * goes from `offsets[n]` up to `offsets[n + 1]`.
 */
export interface KeywordSections {
  /** One number. */
  'keyword.documentCount': Uint32Array;
  /** Every token, sorted. */
  'keyword.tokens': Uint8Array;
  'keyword.tokenOffsets': Uint32Array;
  /** A list of postings per token, by document. */
  'keyword.postings': Uint32Array;
  'keyword.postingOffsets': Uint32Array;
  /** Codes (see `prefixCode`) of the prefixes that have merged postings, ascending. */
  'keyword.prefixes': Uint32Array;
  /** A list per such prefix: one posting for each document that has any token beginning with it. */
  'keyword.prefixPostings': Uint32Array;
  'keyword.prefixOffsets': Uint32Array;
  /** Every filter value, as `facetKey` writes it, sorted. */
  'keyword.facets': Uint8Array;
  'keyword.facetOffsets': Uint32Array;
  /** A list per filter value: the documents that have it, ascending. */
  'keyword.facetDocuments': Uint32Array;
  'keyword.facetDocumentOffsets': Uint32Array;
}

/** What searches filter by; `license` is the effective one. */
export type Facet = 'category' | 'kind' | 'license' | 'tag';

export function facetKey(facet: Facet, value: string): string {
  return `${facet}\0${value}`;
}

/** Prefixes up to this length can have merged postings; longer ones stand before few tokens. */
export const LONGEST_MERGED_PREFIX = 3;

/** A prefix of 1 to 3 characters of `[a-z0-9]` as a number of its own. */
export function prefixCode(prefix: string): number {
  return Number.parseInt(`1${prefix}`, 36);
}
