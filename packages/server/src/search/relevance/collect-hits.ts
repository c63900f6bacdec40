import type { AskedFilters, SearchMatch } from '@bindery/contract';
import type { MaintenanceContext } from '../../context.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { RelevanceIndex } from '../../revision/revision-index.ts';
import type { HitPage } from '../ranking.ts';
import { qualifiedName } from '../targets.ts';
import type { SemanticCandidates } from './candidates.ts';
import { countedIn } from './conditions.ts';
import { FacetTally } from './facet-tally.ts';
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
  match?: SearchMatch;
  sort: 'relevance' | Sort;
  asked: AskedFilters;
  facets: boolean;
}

/** The hits of a page and, if requested, the counts of all. */
export interface CountedHits extends HitPage {
  tally: FacetTally | null;
}

/** Visits the indexes once: collects the hits of each and, if requested, counts their facet values. */
export async function collectHits(
  context: MaintenanceContext,
  { selected, candidates, words }: SearchContext,
  { match, sort, asked, facets, ...range }: HitOptions,
): Promise<CountedHits> {
  const byWords = match !== 'meaning';
  const wanted = { byWords, byMeaning: match !== 'words' };
  const order = hitOrder(sort, { isBrowse: words === null, candidates: candidates.hits, wanted }, range);
  const tally = facets ? new FacetTally(selected.length, asked) : null;
  const targets = selected.map(({ target }) => target);
  let at = 0;
  const take = async (index: RelevanceIndex, keys: Uint16Array | null) => {
    const { target, misses, isChosen } = selected[at] as SelectedTarget;
    const found = isChosen
      ? { keys, filter: misses && Uint8Array.from(misses, (bits) => (bits === 0 ? 1 : 0)) }
      : { keys: NOTHING, filter: null };
    await order.add(at, { index, updatedAt: target.row.updated_at }, found);
    const near = (match !== 'words' && candidates.counted[at]) || NONE_NEAR;
    if (tally)
      await tally.add(index, qualifiedName(target), facetsOf(index, { keys, misses, near, byWords }));
    at++;
    if (turnIsOver()) await nextTurn();
  };
  await eachIndex(context, targets, async (index) => {
    const isRead = facets || selected[at]?.isChosen === true;
    if (words === null && isRead && byWords) await take(index, null);
    else if (!isRead || !words?.mayMatch[at]) await take(index, NOTHING);
    else await withWordKeys(index.words, scoredAt(words, at), (keys) => take(index, keys));
  });
  return { ...(await order.page()), tally };
}

function scoredAt({ slots, postings }: InterpretedQuery, at: number): ScoredWords {
  return { slots, find: (index, alternative) => postings.find(at, index, alternative) };
}

/** The keys of documents, none of which has a word of the query. */
const NOTHING = new Uint16Array();
const NONE_NEAR: ReadonlyMap<number, number> = new Map();

/** The facets that each document is counted in, as bits. */
function facetsOf(
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
): Uint16Array {
  const bits = new Uint16Array(assetCount);
  for (let document = 0; document < bits.length; document++) {
    if (keys !== null && !(byWords && keys[document])) continue;
    bits[document] = countedIn(misses?.[document] ?? 0);
  }
  for (const [document, own] of near) {
    if (byWords || !keys?.[document]) bits[document] = (bits[document] as number) | own;
  }
  return bits;
}
