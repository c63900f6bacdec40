import type { Context } from '../../context.ts';
import { describeHits } from '../describe-hits.ts';
import type { SearchOutcome } from '../request.ts';
import type { Target, UnreadableTarget } from '../targets.ts';
import { findCandidates } from './candidates.ts';
import { collectHits } from './collect-hits.ts';
import { Conditions } from './conditions.ts';
import { explainRelevance } from './explain-relevance.ts';
import type { AskedValues } from './facet-tally.ts';
import type { Sort } from './hit-orders.ts';
import { correctText, interpretQuery } from './interpret-query.ts';
import { parseQuery } from './query.ts';
import { eachIndex, findSearchableTargets, RevisionGone, selectTargets } from './select-targets.ts';

export interface RelevanceRequest {
  q: string;
  limit: number;
  offset: number;
  explain: boolean;
  srcset?: boolean;
  /**
   * An asset passes a filter if it has one of the filter's values. Libraries are `namespace/name`; the weights of words
   * do not depend on which are requested.
   */
  asked: AskedValues;
  sort: 'relevance' | Sort;
  /** Whether to count the facet values of all hits, too. */
  facets: boolean;
}

/** Searches the targets in the order of relevance: see `RelevanceRanking`. */
export async function searchByRelevance(
  context: Context,
  targets: readonly Target[],
  request: RelevanceRequest,
): Promise<SearchOutcome> {
  const unreadable: UnreadableTarget[] = [];
  const searched = await findSearchableTargets(context, targets, unreadable);
  try {
    return { ...(await searchOnce(context, searched, request)), searched, unreadable };
  } catch (error) {
    // When the search starts again, it finds the newer revision of what was replaced meanwhile.
    if (error instanceof RevisionGone) return searchByRelevance(context, targets, request);
    throw error;
  }
}

async function searchOnce(
  context: Context,
  searched: readonly Target[],
  request: RelevanceRequest,
): Promise<Omit<SearchOutcome, 'searched' | 'unreadable'>> {
  const { q, explain, srcset = false } = request;
  const query = parseQuery(q);
  const understood = await interpretQuery(query, context.synonyms, (visit) =>
    eachIndex(context, searched, ({ words }) => visit(words)),
  );
  const { library: libraries, ...filters } = request.asked;
  const { facets: counting } = request;
  const conditions = new Conditions(filters, query, { counting });
  const selected = await selectTargets(context, searched, conditions, { libraries, facets: counting });
  const text = correctText(query.text, understood.corrections);
  const candidates = await findCandidates(context, text, selected, request);
  const words = query.text === '' ? null : understood;
  const {
    total,
    hits: ranked,
    facets,
  } = await collectHits(context, { selected, candidates, words }, request);
  const hits = await describeHits(
    context,
    searched,
    ranked,
    explain ? (hit, score) => explainRelevance(understood, hit, score) : null,
    srcset,
  );
  if (!hits) throw new RevisionGone();
  const didYouMean = correctText(q, understood.corrections);
  const { reason } = candidates;
  return { reason, total, hits, ...(facets && { facets }), ...(didYouMean === q ? {} : { didYouMean }) };
}
