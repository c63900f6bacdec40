import type { AskedFilters, SearchMatch } from '@bindery/contract';
import type { Sort } from '../relevance/hit-orders.ts';
import type { InterpretedQuery } from '../relevance/interpret-query.ts';
import type { ParsedQuery } from '../relevance/query.ts';
import type { Target } from '../targets.ts';
import type { EngineMember, EngineSource } from './engine-source.ts';
import {
  type EngineCandidate,
  type EngineCounts,
  type EngineFilters,
  MAX_CANDIDATES,
} from './search-engine.ts';

export interface ProposalRequest {
  query: ParsedQuery;
  /** The words as corrected, for the encoder. */
  text: string;
  interpreted: InterpretedQuery;
  /** See `findNear`. */
  nearness: number;
  asked: AskedFilters;
  match: SearchMatch | undefined;
  sort: 'relevance' | Sort;
  facets: boolean;
  /** How many hits, from the first, the page needs. */
  end: number;
}

export interface FoundByWords {
  total: number;
  candidates: EngineCandidate[];
  facets: EngineCounts | null;
  /** How many hits each target has, where the first of each by id were found; else null. */
  counts: ReadonlyMap<number, number> | null;
}

/** Has the engine propose what has words of the query, or what comes first in another order. */
export async function findByWords(
  { port, scope, members }: EngineSource,
  searched: readonly Target[],
  filters: EngineFilters,
  { query, interpreted, sort, facets, end }: ProposalRequest,
): Promise<FoundByWords> {
  const slots = query.text === '' ? null : interpreted.slots;
  const asked = { filters, slots, facets };
  const isBrowse = slots === null && sort === 'relevance';
  if (!isBrowse && sort !== 'newest') {
    const first = sort === 'relevance' ? 'words' : sort;
    const { total, candidates, counts } = await port.candidates(scope, {
      ...asked,
      first,
      count: MAX_CANDIDATES,
    });
    return { total, candidates, facets: counts, counts: null };
  }
  const { total, counts } = await port.candidates(scope, { ...asked, first: 'libraries', count: 0 });
  const perLibrary = await port.countLibraries(scope, asked);
  const updatedAt = ({ target }: EngineMember) => (searched[target] as Target).row.updated_at;
  const inOrder = members
    .filter(({ number }) => perLibrary.has(number))
    .sort((a, b) => (isBrowse ? 0 : updatedAt(b) - updatedAt(a)) || a.target - b.target);
  const candidates: EngineCandidate[] = [];
  const whole: number[] = [];
  let left = end;
  const fetch = async (libraries: number[], count: number) => {
    if (libraries.length === 0) return;
    const first = {
      ...asked,
      facets: false,
      filters: { ...filters, libraries },
      first: 'libraries' as const,
    };
    candidates.push(...(await port.candidates(scope, { ...first, count })).candidates);
  };
  for (const { number } of inOrder) {
    const count = perLibrary.get(number) ?? 0;
    if (count >= left) {
      await fetch([number], left);
      left = 0;
      break;
    }
    whole.push(number);
    left -= count;
  }
  await fetch(whole, end);
  const ofTargets = new Map(inOrder.map(({ target, number }) => [target, perLibrary.get(number) ?? 0]));
  return { total, candidates, facets: counts, counts: isBrowse ? ofTargets : null };
}
