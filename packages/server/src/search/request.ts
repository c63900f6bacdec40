import type { SearchFilters, SemanticReason } from '@bindery/contract';
import type { Parts } from '../parts.ts';
import type { DescribedHit } from './describe-hits.ts';
import type { Unreadable } from './open-targets.ts';
import type { Target } from './targets.ts';

export interface SearchRequest extends SearchFilters {
  q: string;
  limit: number;
  offset: number;
  /** The specification's order, or that of `relevance/`; the specification's by default. */
  rank?: 'specified' | 'relevance';
  /** Explains the rank of every hit. */
  explain?: boolean;
}

export interface SearchOutcome {
  reason: SemanticReason;
  /** Hits before pagination. */
  total: number;
  hits: DescribedHit[];
  /** The query with its mistyped words replaced, where a search by relevance did so. */
  didYouMean?: string;
  /** The targets that were searched: all except those that disappeared in the meantime or cannot be read. */
  searched: Target[];
  /** Why existing targets cannot be read. */
  unreadable: Unreadable[];
}

export type SearchParts = Pick<
  Parts,
  'db' | 'objects' | 'revisions' | 'indexMender' | 'encoder' | 'vectors' | 'synonyms' | 'log' | 'metrics'
>;
