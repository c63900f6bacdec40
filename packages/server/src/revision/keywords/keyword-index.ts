import { ListColumn } from '../list-column.ts';
import { type Sections, sectionOf } from '../sections.ts';
import { TextColumn } from '../text-column.ts';

/** One value per filter; absent ones do not filter. */
export type Filters = { [facet in Facet]?: string | undefined };

/** A set of documents, by number: 1 if the document is in the set, else 0. */
export type DocumentSet = Uint8Array;

/** Where the matches of a query token are found. */
interface TokenMatches {
  /** Postings of the token itself; empty without an exact match. */
  exact: Uint32Array;
  /** Postings of all tokens that begin with it, itself included. */
  prefix: Uint32Array;
  /** A document has at most one posting in `prefix`. */
  merged: boolean;
}

/** The keyword index of one revision, read in place. It holds no search state, so concurrent searches can share it. */
export class KeywordIndex {
  readonly documentCount: number;
  readonly #tokens: TextColumn;
  readonly #postings: ListColumn;
  readonly #prefixes: Uint32Array;
  readonly #prefixPostings: ListColumn;
  readonly #facets: TextColumn;
  readonly #facetDocuments: ListColumn;

  constructor(sections: Sections) {
    this.documentCount = sectionOf(sections, LAYOUT.documentCount, 'Uint32Array')[0] ?? 0;
    this.#tokens = new TextColumn(sections, LAYOUT.tokens);
    this.#postings = new ListColumn(sections, LAYOUT.postings);
    this.#prefixes = sectionOf(sections, LAYOUT.prefixes, 'Uint32Array');
    this.#prefixPostings = new ListColumn(sections, LAYOUT.prefixPostings);
    this.#facets = new TextColumn(sections, LAYOUT.facets);
    this.#facetDocuments = new ListColumn(sections, LAYOUT.facetDocuments);
  }

  /** Returns the documents that have every given value; null, for all documents, if there are no filters. */
  select(filters: Filters): DocumentSet | null {
    const asked = Object.entries(filters).filter(([, value]) => value !== undefined) as [Facet, string][];
    if (asked.length === 0) return null;
    const matched = new Uint8Array(this.documentCount);
    for (const [facet, value] of asked) {
      for (const document of this.#documentsWith(facet, value)) {
        matched[document] = (matched[document] as number) + 1;
      }
    }
    return matched.map((count) => (count === asked.length ? 1 : 0));
  }

  /** Counts the documents of a set by value of a facet, leaving out values with none; null means all documents. */
  count(facet: Facet, among: DocumentSet | null): Map<string, number> {
    const key = facetKey(facet, '');
    const { first, end } = this.#facets.startingWith(key);
    const counts = new Map<string, number>();
    for (let place = first; place < end; place++) {
      const documents = this.#facetDocuments.at(place);
      const count = among === null ? documents.length : countIn(documents, among);
      if (count > 0) counts.set(this.#facets.at(place).slice(key.length), count);
    }
    return counts;
  }

  matches(token: string): TokenMatches {
    const { first, end, exact: found } = this.#tokens.startingWith(token);
    const exact = this.#postings.range(first, found ? first + 1 : first);
    const merged = this.#mergedPostings(token);
    if (merged) return { exact, prefix: merged, merged: true };
    return { exact, prefix: this.#postings.range(first, end), merged: end - first < 2 };
  }

  #mergedPostings(prefix: string): Uint32Array | null {
    if (prefix.length > MAX_MERGED_PREFIX) return null;
    const place = placeOf(this.#prefixes, prefixCode(prefix));
    return place < 0 ? null : this.#prefixPostings.at(place);
  }

  #documentsWith(facet: Facet, value: string): Uint32Array {
    const place = this.#facets.indexOf(facetKey(facet, value));
    return place < 0 ? NO_DOCUMENTS : this.#facetDocuments.at(place);
  }
}

const NO_DOCUMENTS = new Uint32Array();

function countIn(documents: Uint32Array, set: DocumentSet): number {
  let count = 0;
  for (let at = 0; at < documents.length; at++) count += set[documents[at] as number] as number;
  return count;
}

/** Returns the position of a value in a sorted array, or -1. */
function placeOf(sorted: Uint32Array, value: number): number {
  let start = 0;
  let end = sorted.length;
  while (start < end) {
    const middle = (start + end) >>> 1;
    if ((sorted[middle] as number) < value) start = middle + 1;
    else end = middle;
  }
  return sorted[start] === value ? start : -1;
}

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

export function facetKey(facet: string, value: string): string {
  return `${facet}\0${value}`;
}

/** Prefixes up to this length can have merged postings; longer ones have few tokens. */
export const MAX_MERGED_PREFIX = 3;

/** Returns a unique number for a prefix of 1 to 3 characters of `[a-z0-9]`. */
export function prefixCode(prefix: string): number {
  return Number.parseInt(`1${prefix}`, 36);
}

/** The fields of an asset that are searched by keyword. */
export const FIELDS = ['title', 'tags', 'id', 'description'] as const;

export type Field = (typeof FIELDS)[number];

/** A set of fields is a number with one bit per field, so that four bits record where a token occurs in an asset. */
export const FIELD_BITS = 4;
export const FIELD_MASK = (1 << FIELD_BITS) - 1;

export function fieldBit(field: Field): number {
  return 1 << FIELDS.indexOf(field);
}

/**
 * Splits text into its tokens: maximal runs of `[a-z0-9]` after ASCII lower-casing. All other characters are
 * separators, so text in another script has no tokens.
 */
export function tokenize(text: string): string[] {
  return text.match(/[A-Za-z0-9]+/g)?.map((run) => run.toLowerCase()) ?? [];
}

/** Returns the tokens of a query, each once. */
export function queryTokens(query: string): string[] {
  return [...new Set(tokenize(query))];
}
