import {
  type AskedFilters,
  LIMITS,
  SEARCH_FILTERS,
  type SearchFilter,
  type SemanticReason,
} from '@bindery/contract';
import type { SearchContext } from '../../context.ts';
import { type FoundByVector, findByVector, type VectorTarget } from '../by-vector.ts';
import { cosineByChance } from '../chance.ts';
import type { VectorCandidate } from '../vectors/vector-search.ts';
import { countedIn, missBit } from './conditions.ts';
import type { InterpretedQuery } from './interpret-query.ts';
import type { ParsedQuery } from './query.ts';
import type { SelectedTarget, Selection } from './select-targets.ts';

export interface SemanticCandidate extends VectorCandidate {
  /** Whether it is a hit without any of the query's words, as it is nearer than by chance. */
  isRelated: boolean;
  /** What comparing its texts with the query adds to its cosine; 0 if they were not compared. */
  byTexts: number;
}

/** The assets that are closest in meaning to a query. */
export interface SemanticCandidates {
  reason: SemanticReason;
  /** What was encoded of the query. */
  text: string;
  /** How many targets were searched by their words alone, though there are others, for lack of room or time. */
  left: number;
  /** Those with a cosine above zero; none if the model does not know the words of the query. */
  hits: SemanticCandidate[];
  /** For each target, the facets that a candidate is counted in, as bits, by document. */
  counted: ReadonlyMap<number, number>[];
}

/** How much closer an asset must be if no searched asset has any word of the query, so that probably nothing is meant. */
const IF_WORDS_UNKNOWN = 1.4;

/** How close is close enough to a description: who describes a thing has no name for it, and takes what is nearest. */
const IF_DESCRIBED = 0.7;

export function nearnessOf(
  { isDescription }: Pick<ParsedQuery, 'isDescription'>,
  { mayMatch }: Pick<InterpretedQuery, 'mayMatch'>,
): number {
  if (isDescription) return IF_DESCRIBED;
  return mayMatch.some((may) => may) ? 1 : IF_WORDS_UNKNOWN;
}

/** Finds the assets closest in meaning and, for facets, those of the search without each of its filters. */
export async function findCandidates(
  context: SearchContext,
  query: Pick<ParsedQuery, 'text' | 'english'>,
  { targets: selected }: Pick<Selection, 'targets'>,
  {
    asked,
    facets,
    nearness,
    proposed,
  }: {
    asked: AskedFilters;
    facets: boolean;
    nearness: number;
    /** What the search engine proposes. */
    proposed: { reason: SemanticReason; near: readonly SemanticCandidate[] } | null;
  },
): Promise<SemanticCandidates> {
  const chosen = selected.map((one) =>
    one.isChosen ? filtered(one, (misses) => misses === 0) : NOT_SEARCHED,
  );
  let { text } = query;
  let main = await findByVector(context, text, chosen);
  if (main.candidates !== null && knowsNoWord(main) && query.english !== null) {
    text = query.english;
    main = await findByVector(context, text, chosen);
  }
  const { left } = main;
  const own = main.candidates !== null && knowsNoWord(main) ? 'unknown-words' : main.reason;
  const reason = proposed && own !== 'on' ? proposed.reason : own;
  const near = await above0(context, main, selected, nearness);
  const hits = proposed ? nearest([...near, ...proposed.near]) : near;
  const counted = selected.map(() => new Map<number, number>());
  if (!facets) return { reason, text, left, hits, counted };
  const unasked = SEARCH_FILTERS.filter((facet) => asked[facet] === undefined);
  mark(counted, near, bitsOf(unasked));
  for (const facet of SEARCH_FILTERS) {
    if (asked[facet] === undefined || main.candidates === null) continue;
    const bit = missBit(facet);
    const passes = (misses: number) => (countedIn(misses) & bit) !== 0;
    const found = await findByVector(
      context,
      text,
      selected.map((one) => filtered(one, passes)),
    );
    mark(counted, await above0(context, found, selected, nearness), bit);
  }
  return { reason, text, left, hits, counted };
}

/** The nearest of what was found here and elsewhere. */
function nearest(found: SemanticCandidate[]): SemanticCandidate[] {
  return found.sort(byCosine).slice(0, LIMITS.embedding.candidates);
}

export function byCosine(a: VectorCandidate, b: VectorCandidate): number {
  return b.cosine - a.cosine || a.target - b.target || a.document - b.document;
}

const NOT_SEARCHED: VectorTarget = { library: { vectors_model: null, vectors_dim: null }, vectors: null };

function filtered({ misses, byVector }: SelectedTarget, passes: (misses: number) => boolean): VectorTarget {
  if (misses === null || byVector.vectors === null) return byVector;
  return {
    ...byVector,
    vectors: { ...byVector.vectors, filter: Uint8Array.from(misses, (bits) => (passes(bits) ? 1 : 0)) },
  };
}

/** Nothing is related to a query whose words the model does not know. */
function knowsNoWord({ relatedFrom }: Pick<FoundByVector, 'relatedFrom'>): boolean {
  return relatedFrom === Number.POSITIVE_INFINITY;
}

async function above0(
  context: SearchContext,
  { candidates, relatedFrom }: FoundByVector,
  selected: readonly SelectedTarget[],
  nearness: number,
): Promise<SemanticCandidate[]> {
  if (candidates === null || knowsNoWord({ relatedFrom })) return [];
  const near = candidates.filter(({ cosine }) => cosine > 0);
  const from = new Map<number, number>();
  for (const target of new Set(near.map((candidate) => candidate.target))) {
    const vectors = selected[target]?.byVector.vectors;
    const byChance = async () => (vectors ? cosineByChance(context, vectors) : 0);
    from.set(target, relatedFrom === null ? await byChance() : relatedFrom * nearness);
  }
  return near.map((found) => ({
    ...found,
    isRelated: found.cosine >= (from.get(found.target) ?? 0),
    byTexts: 0,
  }));
}

function bitsOf(facets: readonly SearchFilter[]): number {
  return facets.reduce((bits, facet) => bits | missBit(facet), 0);
}

function mark(counted: readonly Map<number, number>[], hits: readonly SemanticCandidate[], bits: number) {
  for (const { target, document, isRelated } of hits) {
    if (!isRelated) continue;
    const own = counted[target];
    own?.set(document, (own.get(document) ?? 0) | bits);
  }
}
