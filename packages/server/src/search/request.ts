import type {
  AskedFilters,
  EmptyingFilters,
  QueryOf,
  RelevanceFacets,
  routes,
  SearchFilters,
  SearchMatch,
  SearchSort,
  SemanticReason,
  UnderstoodPart,
} from '@bindery/contract';
import type { DescribedHit } from './describe-hits.ts';
import type { Target, UnreadableTarget } from './targets.ts';

/** A query and the page of its hits that is wanted. */
export interface SearchPage {
  q: string;
  limit: number;
  offset: number;
  /** Explains the rank of every hit. */
  explain: boolean;
  /** Returns small versions of every thumbnail, too. */
  srcset?: boolean;
  /** Whether nobody waits for the answer any more, so that a search of many libraries can stop. */
  hasLeft?: () => boolean;
}

/** What every search is asked, whatever it searches. */
export interface SearchRequest extends SearchPage {
  order: SearchOrder;
}

/** The specification's order, or that of `relevance/`, each with its filters. */
type SearchOrder = { rank: 'specified'; filters: SearchFilters } | RelevanceOrder;

export interface RelevanceOrder {
  rank: 'relevance';
  /**
   * Libraries are `namespace/name`; one that the viewer cannot see has no hits. The weights of words do not depend on which libraries are requested.
   */
  filters: AskedFilters;
  /** Parts of the query that are words, where they would otherwise be read as a filter. */
  asWords: readonly string[];
  /** Undefined for hits by words and by meaning. */
  match?: SearchMatch;
  sort: SearchSort;
  /** Whether to count the facet values of all hits, too. */
  facets: boolean;
}

type Search = typeof routes.search;
/** A query of one of the search routes, which reject anything that `rank=specified` does not support. */
type SearchQuery =
  | Omit<QueryOf<Search['searchLibrary']>, 'share' | 'release'>
  | Omit<QueryOf<Search['searchLibraries']>, 'share' | 'libraries'>
  | (QueryOf<Search['searchEverything']> & { rank: 'relevance' });

export function requestOf(
  { q, limit, offset, explain, srcset, ...order }: SearchQuery,
  hasLeft?: () => boolean,
): SearchRequest {
  const page = { q, limit, offset, explain: explain === 'true', srcset: srcset === 'true' };
  return { ...page, ...(hasLeft && { hasLeft }), order: orderOf(order) };
}

function orderOf({
  rank,
  match,
  sort = 'relevance',
  facets,
  asWords = [],
  ...filters
}: Omit<SearchQuery, 'q' | 'limit' | 'offset' | 'explain' | 'srcset'>): SearchOrder {
  if (rank === 'relevance') return { rank, filters, asWords, match, sort, facets: facets === 'true' };
  const { category, kind, license, tag } = filters;
  return {
    rank,
    filters: { category: category?.[0], kind: kind?.[0], license: license?.[0], tag: tag?.[0] },
  };
}

/** What a search returns besides its hits. */
export interface SearchSummary {
  /** Whether vectors were used, and why or why not. */
  semantic: boolean;
  reason: SemanticReason;
  /** Hits before pagination. */
  total: number;
  /** The query with its mistyped words replaced, if a search by relevance replaced any. */
  didYouMean?: string;
  /** The number of hits per facet value, if a search by relevance was asked to count them. */
  facets?: RelevanceFacets;
  /** The parts of the query that a search by relevance read as filters, if there are any. */
  understood?: UnderstoodPart[];
  /** The filters because of which a search by relevance found nothing, if it did. */
  emptied?: EmptyingFilters[];

  /** How many of the readable libraries a search by relevance searched, if memory has no room for all. */
  partial?: { searched: number; libraries: number };
}

export interface SearchOutcome extends SearchSummary {
  hits: DescribedHit[];
  /** The targets that were searched: all except those that disappeared in the meantime or cannot be read. */
  searched: Target[];
  /** Existing targets that cannot be read, and why. */
  unreadable: UnreadableTarget[];
}
