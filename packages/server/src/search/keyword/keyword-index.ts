import { Dictionary } from './dictionary.ts';
import { type Facet, facetKey, type KeywordSections, LONGEST_MERGED_PREFIX, prefixCode } from './sections.ts';

/** One value per filter; what is absent does not filter. */
export type Filters = { [facet in Facet]?: string | undefined };

/** Documents by number: 1 is in the set, 0 is not. */
export type DocumentSet = Uint8Array;

/** Where the matches of a query token are found. */
export interface TokenMatches {
  /** Postings of the token itself; empty without an exact match. */
  exact: Uint32Array;
  /** Postings of all tokens that begin with it, itself included. */
  prefix: Uint32Array;
  /** A document has at most one posting in `prefix`. */
  merged: boolean;
}

/** The keyword index of one revision, read in place. It holds no state of a search and may be shared by many. */
export class KeywordIndex {
  readonly documentCount: number;
  readonly #sections: KeywordSections;
  readonly #tokens: Dictionary;
  readonly #facets: Dictionary;

  constructor(sections: KeywordSections) {
    this.#sections = sections;
    this.documentCount = sections['keyword.documentCount'][0] ?? 0;
    this.#tokens = new Dictionary({
      bytes: sections['keyword.tokens'],
      offsets: sections['keyword.tokenOffsets'],
    });
    this.#facets = new Dictionary({
      bytes: sections['keyword.facets'],
      offsets: sections['keyword.facetOffsets'],
    });
  }

  /** The documents that have every given value; null where nothing is asked, which means all of them. */
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

  matches(token: string): TokenMatches {
    const { first, end, exact: found } = this.#tokens.startingWith(token);
    const exact = this.#postings(first, found ? first + 1 : first);
    const merged = this.#mergedPostings(token);
    if (merged) return { exact, prefix: merged, merged: true };
    return { exact, prefix: this.#postings(first, end), merged: end - first < 2 };
  }

  #postings(first: number, end: number): Uint32Array {
    const offsets = this.#sections['keyword.postingOffsets'];
    return this.#sections['keyword.postings'].subarray(offsets[first], offsets[end]);
  }

  #mergedPostings(prefix: string): Uint32Array | null {
    if (prefix.length > LONGEST_MERGED_PREFIX) return null;
    const n = indexOfSorted(this.#sections['keyword.prefixes'], prefixCode(prefix));
    if (n < 0) return null;
    const offsets = this.#sections['keyword.prefixOffsets'];
    return this.#sections['keyword.prefixPostings'].subarray(offsets[n], offsets[n + 1]);
  }

  #documentsWith(facet: Facet, value: string): Uint32Array {
    const { first, exact } = this.#facets.startingWith(facetKey(facet, value));
    const offsets = this.#sections['keyword.facetDocumentOffsets'];
    const end = exact ? offsets[first + 1] : offsets[first];
    return this.#sections['keyword.facetDocuments'].subarray(offsets[first], end);
  }
}

function indexOfSorted(sorted: Uint32Array, value: number): number {
  let start = 0;
  let end = sorted.length;
  while (start < end) {
    const middle = (start + end) >>> 1;
    if ((sorted[middle] as number) < value) start = middle + 1;
    else end = middle;
  }
  return sorted[start] === value ? start : -1;
}
