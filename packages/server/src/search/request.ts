import type {
  EverythingFilters,
  QueryOf,
  RelevanceFacets,
  routes,
  SearchFilters,
  SearchSort,
  SemanticReason,
} from '@bindery/contract';
import type { DescribedHit } from './describe-hits.ts';
import type { Target, UnreadableTarget } from './targets.ts';

export interface SearchRequest {
  q: string;
  limit: number;
  offset: number;
  /** Explains the rank of every hit. */
  explain: boolean;
  /** Returns small versions of every thumbnail, too. */
  srcset?: boolean;
  order: SearchOrder;
}

/** The specification's order, or that of `relevance/`, each with its filters. */
type SearchOrder =
  | { rank: 'specified'; filters: SearchFilters }
  | { rank: 'relevance'; filters: EverythingFilters; sort: SearchSort; facets: boolean };

/** A query of the search routes, which reject anything that `rank=specified` does not support. */
export type SearchQuery = Omit<QueryOf<typeof routes.search.searchLibrary>, 'share'>;

export function requestOf({ q, limit, offset, explain, srcset, ...query }: SearchQuery): SearchRequest {
  return { q, limit, offset, explain: explain === 'true', srcset: srcset === 'true', order: orderOf(query) };
}

function orderOf({
  rank,
  sort = 'relevance',
  facets,
  ...filters
}: Omit<SearchQuery, keyof Page>): SearchOrder {
  if (rank === 'relevance') return { rank, filters, sort, facets: facets === 'true' };
  const { category, kind, license, tag } = filters;
  return {
    rank,
    filters: { category: category?.[0], kind: kind?.[0], license: license?.[0], tag: tag?.[0] },
  };
}

type Page = Pick<SearchQuery, 'q' | 'limit' | 'offset' | 'explain' | 'srcset'>;

export interface SearchOutcome {
  reason: SemanticReason;
  /** Hits before pagination. */
  total: number;
  hits: DescribedHit[];
  /** The query with its mistyped words replaced, if a search by relevance replaced any. */
  didYouMean?: string;
  /** The number of hits per facet value, if a search by relevance was asked to count them. */
  facets?: RelevanceFacets;
  /** The targets that were searched: all except those that disappeared in the meantime or cannot be read. */
  searched: Target[];
  /** Existing targets that cannot be read, and why. */
  unreadable: UnreadableTarget[];
}
