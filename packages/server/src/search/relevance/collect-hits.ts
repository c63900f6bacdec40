import type { RelevanceFacets, SearchMatch } from '@bindery/contract';
import type { MaintenanceContext } from '../../context.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { RelevanceIndex } from '../../revision/revision-index.ts';
import type { HitPage } from '../ranking.ts';
import { qualifiedName } from '../targets.ts';
import type { SemanticCandidates } from './candidates.ts';
import { COUNTED_IN } from './conditions.ts';
import { type AskedValues, FacetTally } from './facet-tally.ts';
import { hitOrder, type Sort } from './hit-orders.ts';
import type { InterpretedQuery } from './interpret-query.ts';
import { type ScoredWords, withWordKeys } from './score-words.ts';
import { eachIndex, type SelectedTarget } from './select-targets.ts';

interface SearchContext {
  selected: readonly SelectedTarget[];
  candidates: SemanticCandidates;
  /** Null if there is nothing to search for and everything is a hit. */
  words: InterpretedQuery | null;
}

interface HitOptions {
  limit: number;
  offset: number;
  match: SearchMatch;
  sort: 'relevance' | Sort;
  asked: AskedValues;
  facets: boolean;
}

/** Visits the indexes once: collects the hits of each and, if requested, counts their facet values. */
export async function collectHits(
  context: MaintenanceContext,
  { selected, candidates, words }: SearchContext,
  { match, sort, asked, facets, ...range }: HitOptions,
): Promise<HitPage & { facets?: RelevanceFacets }> {
  const byWords = match !== 'meaning';
  const wanted = {
    byWords,
    relatedFrom: match === 'words' ? Number.POSITIVE_INFINITY : candidates.relatedFrom,
  };
  const order = hitOrder(sort, { isBrowse: words === null, candidates: candidates.hits, wanted }, range);
  const tally = facets ? new FacetTally(selected.length, asked) : null;
  const targets = selected.map(({ target }) => target);
  let at = 0;
  const take = async (index: RelevanceIndex, keys: Uint16Array | null) => {
    const { target, misses, isChosen } = selected[at] as SelectedTarget;
    const found = isChosen
      ? { keys, filter: misses?.map((bits) => (bits === 0 ? 1 : 0)) ?? null }
      : { keys: NOTHING, filter: null };
    await order.add(at, { index, updatedAt: target.row.updated_at }, found);
    const near = (match !== 'words' && candidates.countedIn[at]) || NONE_NEAR;
    if (tally)
      await tally.add(index, qualifiedName(target), countedIn(index, { keys, misses, near, byWords }));
    at++;
    if (turnIsOver()) await nextTurn();
  };
  await eachIndex(context, targets, async (index) => {
    const isRead = facets || selected[at]?.isChosen === true;
    if (words === null && isRead) await take(index, null);
    else if (!isRead || !words?.mayMatch[at]) await take(index, NOTHING);
    else await withWordKeys(index.words, scoredAt(words, at), (keys) => take(index, keys));
  });
  return { ...(await order.page()), ...(tally && { facets: tally.lists() }) };
}

function scoredAt({ slots, postings }: InterpretedQuery, at: number): ScoredWords {
  return { slots, find: (index, alternative) => postings.find(at, index, alternative) };
}

/** The keys of documents, none of which has a word of the query. */
const NOTHING = new Uint16Array();
const NONE_NEAR: ReadonlyMap<number, number> = new Map();

/** The facets that each document is counted in, as bits. */
function countedIn(
  { assetCount }: RelevanceIndex,
  {
    keys,
    misses,
    near,
    byWords,
  }: Pick<SelectedTarget, 'misses'> & {
    keys: Uint16Array | null;
    near: ReadonlyMap<number, number>;
    byWords: boolean;
  },
): Uint8Array {
  const bits = new Uint8Array(assetCount);
  for (let document = 0; document < bits.length; document++) {
    if (keys !== null && !(byWords && keys[document])) continue;
    bits[document] = COUNTED_IN[misses?.[document] ?? 0] as number;
  }
  for (const [document, own] of near) {
    if (byWords || !keys?.[document]) bits[document] = (bits[document] as number) | own;
  }
  return bits;
}
