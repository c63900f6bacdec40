import type { Context } from '../../context.ts';
import { describeHits } from '../describe-hits.ts';
import type { RelevanceOrder, SearchOutcome, SearchPage } from '../request.ts';
import type { Target, UnreadableTarget } from '../targets.ts';
import { findCandidates } from './candidates.ts';
import { collectHits } from './collect-hits.ts';
import { Conditions } from './conditions.ts';
import { explainRelevance } from './explain-relevance.ts';
import { correctText, interpretQuery } from './interpret-query.ts';
import { parseQuery } from './query.ts';
import { eachIndex, findSearchableTargets, RevisionGone, selectTargets } from './select-targets.ts';

/** Searches the targets in the order of relevance: see `RelevanceRanking`. */
export async function searchByRelevance(
  context: Context,
  targets: readonly Target[],
  request: SearchPage,
  order: RelevanceOrder,
): Promise<SearchOutcome> {
  const unreadable: UnreadableTarget[] = [];
  const searched = await findSearchableTargets(context, targets, unreadable);
  try {
    return { ...(await searchOnce(context, searched, request, order)), searched, unreadable };
  } catch (error) {
    // When the search starts again, it finds the newer revision of what was replaced meanwhile.
    if (error instanceof RevisionGone) return searchByRelevance(context, targets, request, order);
    throw error;
  }
}

async function searchOnce(
  context: Context,
  searched: readonly Target[],
  { q, limit, offset, explain, srcset = false }: SearchPage,
  { filters: asked, match, sort, facets: counting }: RelevanceOrder,
): Promise<Omit<SearchOutcome, 'searched' | 'unreadable'>> {
  const query = parseQuery(q);
  const understood = await interpretQuery(query, context.synonyms, (visit) =>
    eachIndex(context, searched, ({ words }) => visit(words)),
  );
  const { library: libraries, ...filters } = asked;
  const conditions = new Conditions(filters, query, { counting });
  const selected = await selectTargets(context, searched, conditions, { libraries, facets: counting });
  const text = correctText(query.text, understood.corrections);
  const candidates = await findCandidates(context, text, selected, { asked, facets: counting });
  const words = query.text === '' ? null : understood;
  const {
    total,
    hits: ranked,
    facets,
  } = await collectHits(
    context,
    { selected, candidates, words },
    { limit, offset, match, sort, asked, facets: counting },
  );
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
  return {
    semantic: reason === 'on',
    reason,
    total,
    hits,
    ...(facets && { facets }),
    ...(didYouMean === q ? {} : { didYouMean }),
  };
}
