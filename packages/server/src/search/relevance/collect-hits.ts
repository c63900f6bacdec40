import type { AskedFilters, SearchMatch } from '@bindery/contract';
import type { SearchContext } from '../../context.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { Proposal } from '../engine/propose.ts';
import type { HitPage } from '../ranking.ts';
import { qualifiedName, type Target } from '../targets.ts';
import type { SemanticCandidates } from './candidates.ts';
import { countedIn } from './conditions.ts';
import { FacetTally } from './facet-tally.ts';
import { hitOrder, type Sort } from './hit-orders.ts';
import type { InterpretedQuery } from './interpret-query.ts';
import { type ScoredWords, withWordKeys } from './score-words.ts';
import type { SelectedTarget, Selection } from './select-targets.ts';
import { eachSource, type OpenedSource, type SourceMember } from './sources.ts';

interface HitSources {
  selected: Selection;
  candidates: SemanticCandidates;
  /** Null if there is nothing to search for and everything is a hit. */
  words: InterpretedQuery | null;
  /** What the search engine proposes. */
  proposed: Proposal | null;
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

/** Visits the sources once: collects the hits of each library and, if requested, counts their facet values. */
export async function collectHits(
  context: SearchContext,
  { selected, candidates, words, proposed }: HitSources,
  { match, sort, asked, facets, ...range }: HitOptions,
): Promise<CountedHits> {
  const byWords = match !== 'meaning';
  const wanted = { byWords, byMeaning: match !== 'words' };
  const order = hitOrder(sort, { isBrowse: words === null, candidates: candidates.hits, wanted }, range);
  const tally = facets ? new FacetTally(asked) : null;
  const take = async (source: OpenedSource, keys: Uint16Array | null) => {
    const misses = selected.misses[source.number] ?? null;
    for (const member of source.members) {
      const { target, isChosen, misses: own } = selected.targets[member.target] as SelectedTarget;
      const found = isChosen
        ? {
            keys: ofMember(keys, member),
            filter: own && Uint8Array.from(own, (bits) => (bits === 0 ? 1 : 0)),
          }
        : { keys: NOTHING, filter: null };
      const library = { assets: source.ordered(member), updatedAt: target.row.updated_at };
      await order.add(member.target, library, found);
    }
    if (tally) {
      const near = match === 'words' ? [] : candidates.counted;
      const countedIn = facetsOf(source, { keys, misses, near, byWords });
      await tally.add(source, (target) => qualifiedName(selected.searched[target] as Target), countedIn);
    }
    if (turnIsOver()) await nextTurn();
  };
  await eachSource(context, selected, async (source) => {
    const isRead = facets || source.members.some(({ target }) => selected.targets[target]?.isChosen);
    if (words === null && isRead && byWords) await take(source, null);
    else if (!isRead || !words?.mayMatch[source.number]) await take(source, NOTHING);
    else await withWordKeys(source.words, scoredIn(words, source.number), (keys) => take(source, keys));
  });
  if (proposed === null) return { ...(await order.page()), tally };
  for (const { target, assets, keys } of proposed.members) {
    const { row } = selected.searched[target] as Target;
    const isFound = byWords || keys !== null;
    await order.add(
      target,
      { assets, updatedAt: row.updated_at },
      { keys: isFound ? keys : NOTHING, filter: null },
    );
  }
  if (proposed.facets)
    tally?.addProposed(proposed.facets, (target) => qualifiedName(selected.searched[target] as Target));
  const page = await order.page();
  return { ...page, total: page.total + proposed.beyond, tally };
}

function scoredIn({ slots, postings }: InterpretedQuery, source: number): ScoredWords {
  return { slots, find: (index, alternative) => postings.find(source, index, alternative) };
}

/** The keys of documents, none of which has a word of the query. */
const NOTHING = new Uint16Array();

function ofMember(keys: Uint16Array | null, { first, count }: SourceMember): Uint16Array | null {
  return keys === null || keys === NOTHING ? keys : keys.subarray(first, first + count);
}

/** The facets that each document is counted in, as bits. */
function facetsOf(
  { assetCount, members }: OpenedSource,
  {
    keys,
    misses,
    near,
    byWords,
  }: Pick<SelectedTarget, 'misses'> & {
    keys: Uint16Array | null;
    near: SemanticCandidates['counted'];
    byWords: boolean;
  },
): Uint16Array {
  const bits = new Uint16Array(assetCount);
  for (let document = 0; document < bits.length; document++) {
    if (keys !== null && !(byWords && keys[document])) continue;
    bits[document] = countedIn(misses?.[document] ?? 0);
  }
  for (const { target, first } of members) {
    for (const [asset, own] of near[target] ?? []) {
      const document = first + asset;
      if (byWords || !keys?.[document]) bits[document] = (bits[document] as number) | own;
    }
  }
  return bits;
}
