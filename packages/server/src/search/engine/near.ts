import {
  type AskedFilters,
  LIMITS,
  SEARCH_FILTERS,
  type SearchFilter,
  type SemanticReason,
} from '@bindery/contract';
import type { SearchContext } from '../../context.ts';
import { encode, semanticReason } from '../by-vector.ts';
import { MEANINGLESS, TOLERANCE } from '../chance.ts';
import type { EngineSource } from './engine-source.ts';
import type { EngineFilters, EngineScope, NearestCandidate } from './search-engine.ts';

/** A candidate by meaning, and whether it is a hit without any of the query's words. */
export type NearCandidate = NearestCandidate & { isRelated: boolean };

export interface Near {
  reason: SemanticReason;
  hits: NearCandidate[];
  /** For each filter that was asked for, the candidates of the search without it; only if facets are counted. */
  without: ReadonlyMap<SearchFilter, NearCandidate[]>;
}

/** Finds the assets closest in meaning to a text among what the engine has vectors of, as `findCandidates` does here. */
export async function findNear(
  context: SearchContext,
  { port, scope, members }: EngineSource,
  text: string,
  {
    filters,
    asked,
    facets,
    nearness,
  }: {
    filters: EngineFilters;
    asked: AskedFilters;
    facets: boolean;
    /** How much nearer than the model states an asset has to be to be related. */
    nearness: number;
  },
): Promise<Near> {
  const { model } = context.encoder;
  const dim = LIMITS.embedding.dimensions;
  const stated = members.map((one) => ({
    vectors_model: one.model,
    vectors_dim: one.model === null ? null : dim,
  }));
  const nothing = (reason: SemanticReason): Near => ({ reason, hits: [], without: new Map() });
  const reason = semanticReason(text, model, stated);
  if (reason !== 'on') return nothing(reason);
  const encoded = await encode(context, text);
  if (!encoded.ok || encoded.model !== model) return nothing('encoder-unavailable');
  const { vector, relatedFrom } = encoded;
  if (relatedFrom === Number.POSITIVE_INFINITY) return nothing('unknown-words');
  const libraries = members.filter((one) => one.model === model).map(({ number }) => number);
  const semantic: EngineScope = { ...scope, libraries };
  const chances = new Map<number, number>();
  const nearest = async (filters: EngineFilters): Promise<NearCandidate[]> => {
    const found = await port.nearest(semantic, { filters, vector, count: LIMITS.embedding.candidates });
    const near = found.filter(({ cosine }) => cosine > 0);
    if (relatedFrom === null) await measureChance(context, { port, scope: semantic }, near, chances);
    const from = ({ library }: NearestCandidate) =>
      relatedFrom === null ? (chances.get(library) ?? 0) : relatedFrom * nearness;
    return near.map((one) => ({ ...one, isRelated: one.cosine >= from(one) }));
  };
  const without = new Map<SearchFilter, NearCandidate[]>();
  if (facets)
    for (const filter of SEARCH_FILTERS)
      if (asked[filter] !== undefined) without.set(filter, await nearest(withoutFilter(filters, filter)));
  return { reason, hits: await nearest(filters), without };
}

function withoutFilter(filters: EngineFilters, filter: SearchFilter): EngineFilters {
  if (filter === 'library') return { ...filters, libraries: null };
  return { ...filters, asked: { ...filters.asked, [filter]: undefined } };
}

/** Adds, for each library of the candidates, the cosine that its assets have with texts that mean nothing: see `chance.ts`. */
async function measureChance(
  context: SearchContext,
  { port, scope }: Pick<EngineSource, 'port' | 'scope'>,
  candidates: readonly NearestCandidate[],
  chances: Map<number, number>,
): Promise<void> {
  const nothing = { libraries: null, asked: {}, query: { phrases: [], excluded: [] } };
  const unknown = new Set(
    candidates.map(({ library }) => library).filter((library) => !chances.has(library)),
  );
  for (const text of unknown.size > 0 ? MEANINGLESS : []) {
    const encoded = await encode(context, text);
    if (!encoded.ok) return;
    for (const library of unknown) {
      const of = { ...scope, libraries: [library] };
      const [best] = await port.nearest(of, { filters: nothing, vector: encoded.vector, count: 1 });
      chances.set(library, Math.max(chances.get(library) ?? 0, (best?.cosine ?? 0) + TOLERANCE));
    }
  }
}
