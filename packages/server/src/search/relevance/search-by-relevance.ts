import type { AskedFilters, SearchHit, SearchMatch } from '@bindery/contract';
import type { SearchContext } from '../../context.ts';
import type { AssetRemainder } from '../../revision/asset-table.ts';
import { isEnglish } from '../../revision/words/english-nouns.ts';
import { textWords } from '../../revision/words/text-words.ts';
import { describeHits } from '../describe-hits.ts';
import { type Proposal, propose } from '../engine/propose.ts';
import { EngineUnavailable, MAX_CANDIDATES } from '../engine/search-engine.ts';
import type { RelevanceOrder, SearchOutcome, SearchPage } from '../request.ts';
import type { Target } from '../targets.ts';
import type { Part } from '../understanding/part.ts';
import { isKnownIn, readParts, understand } from '../understanding/understand.ts';
import { findCandidates, nearnessOf, type SemanticCandidates } from './candidates.ts';
import { type CountedHits, collectHits } from './collect-hits.ts';
import { compareNearest } from './compare-nearest.ts';
import { Conditions } from './conditions.ts';
import { findEmptying } from './emptying-filters.ts';
import { explainRelevance } from './explain-relevance.ts';
import { correctText, type InterpretedQuery, interpretQuery } from './interpret-query.ts';
import { type ParsedQuery, parseQuery } from './query.ts';
import { type Selection, selectTargets } from './select-targets.ts';
import { eachSource, findSources, RevisionGone, type Sources, type WordSource } from './sources.ts';

/** Searches the targets in the order of relevance: see `RelevanceRanking`. */
export async function searchByRelevance(
  context: SearchContext,
  targets: readonly Target[],
  request: SearchPage,
  order: RelevanceOrder,
): Promise<SearchOutcome> {
  const usesEngine = request.offset + request.limit <= MAX_CANDIDATES;
  const sources = await findSources(context, targets, { ...request, usesEngine });
  const { searched, unreadable, left } = sources;
  try {
    const { left: byWords, ...found } = await searchOnce(context, sources, request, order);
    return { ...found, searched, unreadable, ...partialIf(left + byWords, searched.length - byWords) };
  } catch (error) {
    // When the search starts again, it finds the newer revision of what was replaced meanwhile.
    if (error instanceof EngineUnavailable) context.engine?.failed(error);
    if (error instanceof RevisionGone || error instanceof EngineUnavailable)
      return searchByRelevance(context, targets, request, order);
    throw error;
  }
}

/** Says how many libraries were searched, if some were left out, or their vectors were. */
export function partialIf(left: number, searched: number): Pick<SearchOutcome, 'partial'> {
  return left === 0 ? {} : { partial: { searched, libraries: searched + left } };
}

async function searchOnce(
  context: SearchContext,
  sources: Sources,
  { q, limit, offset, explain, srcset = false }: SearchPage,
  { filters: set, asWords, match, sort, facets }: RelevanceOrder,
): Promise<Omit<SearchOutcome, 'searched' | 'unreadable'> & Pick<FoundHits, 'left'>> {
  const known = await knownParts(context, sources, readParts(q, asWords));
  const { parts: understood, filters, words } = understand(q, known, set);
  const query = parseQuery(words);
  const visitEach = (visit: (source: WordSource) => Promise<void>) => eachSource(context, sources, visit);
  const interpreted = await interpretQuery(query, context.synonyms, visitEach, sources.engine);
  const find = (asked: AskedFilters, counting: boolean) =>
    findHits(context, { sources, query, interpreted }, asked, {
      limit,
      offset,
      match,
      sort,
      facets: counting,
    });
  const found = await find(filters, facets);
  const { total, hits: ranked, reason, left, tally } = found;
  const emptied = total === 0 ? await findEmptying(found, filters, find) : [];
  await found.proposed?.load(ranked, explain);
  const hits = await describeHits(
    context,
    sources.searched,
    ranked,
    (hit, ranked, { entryPoints, derived, sharedPhrases }) => {
      if (explain) {
        const named = { entryPoints: Object.keys(entryPoints), derived };
        hit.explain = explainRelevance(interpreted, hit, ranked, named, sharedPhrases());
      }
      openNamed(hit, query.words, entryPoints);
    },
    srcset,
    found.proposed?.assetsOf,
  );
  if (!hits) throw new RevisionGone();
  const didYouMean = correctText(q, interpreted.corrections);
  return {
    semantic: reason === 'on',
    reason,
    left,
    total,
    hits,
    ...(facets && tally && { facets: await tally.lists() }),
    ...(didYouMean === q ? {} : { didYouMean }),
    ...(understood.length > 0 && { understood }),
    ...(emptied.length > 0 && { emptied }),
  };
}

/** Makes a hit open the entry point whose name has most of the query's words, of those that its title and id lack. */
function openNamed(
  hit: SearchHit,
  words: readonly string[],
  entryPoints: AssetRemainder['entryPoints'],
): void {
  const named = Object.entries(entryPoints);
  if (named.length === 0) return;
  const own = textWords(`${hit.title ?? ''} ${hit.assetId}`);
  let most = 0;
  for (const [name, { file }] of named) {
    const its = textWords(name);
    const count = words.filter((word) => its.has(word) && !own.has(word)).length;
    if (count > most) [most, hit.entryPoint, hit.entry] = [count, name, file];
  }
}

/** Returns the parts of a query that something in the searched libraries could meet. */
async function knownParts(context: SearchContext, sources: Sources, parts: readonly Part[]): Promise<Part[]> {
  if (parts.length === 0) return [];
  const known = new Set<Part>();
  await eachSource(context, sources, async (source) => {
    for (const part of parts) if (!known.has(part) && isKnownIn(source, part)) known.add(part);
  });
  const unknown = parts.filter((part) => !known.has(part));
  for (const part of unknown.length > 0 ? ((await sources.engine?.known(unknown)) ?? []) : [])
    known.add(part);
  return parts.filter((part) => known.has(part));
}

/**
 * Whether what has some words of a name is not what is meant: an English word of it is nowhere, and nothing is close to it
 * in meaning (`wedding dress`, where there is a corset).
 */
function isAmiss({ slots }: InterpretedQuery, { hits }: SemanticCandidates): boolean {
  const lacks = slots.some(({ word, alternatives }) => alternatives.length === 0 && isEnglish(word));
  return lacks && !hits.some(({ isRelated }) => isRelated);
}

/** Whether all that is searched was compared with the query by meaning. */
function isComparedWithAll(
  { encoder: { model } }: SearchContext,
  { reason, left, hits }: SemanticCandidates,
  { engine }: Sources,
  { targets }: Selection,
): boolean {
  const inEngine = new Map(engine?.members.map(({ target, model }) => [target, model]));
  return (
    reason === 'on' &&
    left === 0 &&
    hits.length > 0 &&
    targets.every(
      ({ isChosen, byVector }, at) =>
        !isChosen || (inEngine.get(at) ?? byVector.library.vectors_model) === model,
    )
  );
}

type FoundHits = CountedHits & Pick<SemanticCandidates, 'reason' | 'left'> & { proposed: Proposal | null };

/** Finds the hits of an interpreted query that pass the filters. */
async function findHits(
  context: SearchContext,
  { sources, query, interpreted }: { sources: Sources; query: ParsedQuery; interpreted: InterpretedQuery },
  asked: AskedFilters,
  {
    facets,
    ...page
  }: Pick<RelevanceOrder, 'match' | 'sort' | 'facets'> & Pick<SearchPage, 'limit' | 'offset'>,
): Promise<FoundHits> {
  const { library: libraries, ...filters } = asked;
  const conditions = new Conditions(filters, query, { counting: facets });
  const selected = await selectTargets(context, sources, conditions, { libraries, facets });
  const text = correctText(query.text, interpreted.corrections);
  const nearness = nearnessOf(query, interpreted);
  const { sort, offset, limit } = page;
  const wanted = { query, text, interpreted, nearness, asked, sort, facets, end: offset + limit };
  const proposeBy = async (match: SearchMatch | undefined) =>
    sources.engine && propose(context, sources.engine, sources.searched, { ...wanted, match });
  let proposed = await proposeBy(page.match);
  const found = { asked, facets, nearness, proposed };
  const candidates = await findCandidates(context, { text, english: query.english }, selected, found);
  const isCompared = isComparedWithAll(context, candidates, sources, selected);
  const isName = !query.isDescription;
  const match = isCompared && isName && isAmiss(interpreted, candidates) ? 'meaning' : page.match;
  if (match !== page.match) proposed = await proposeBy(match);
  const words = query.text === '' ? null : interpreted;
  const compared = await compareNearest(context, candidates, sources.searched, proposed);
  const hits = await collectHits(
    context,
    { selected, candidates: { ...candidates, hits: compared }, words, proposed },
    { ...page, match, asked, facets },
  );
  const { reason, left } = candidates;
  return { ...hits, reason, left, proposed };
}
