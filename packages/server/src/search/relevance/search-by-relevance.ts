import type { DocumentSet, KeywordIndex } from '../../revision/keywords/keyword-index.ts';
import { type Browsed, browsePage } from '../browse.ts';
import { findByVector, type VectorTarget, vectorTarget } from '../by-vector.ts';
import { describeHits } from '../describe-hits.ts';
import type { Unreadable } from '../open-targets.ts';
import type { HitPage } from '../ranking.ts';
import type { SearchOutcome, SearchParts } from '../request.ts';
import type { Target } from '../targets.ts';
import { Conditions } from './conditions.ts';
import { withCorrections } from './did-you-mean.ts';
import { explainRelevance } from './explain-relevance.ts';
import { eachIndex, findSearched, RevisionGone } from './open-words.ts';
import { type ParsedQuery, parseQuery } from './parse-query.ts';
import { RelevanceRanking } from './relevance-ranking.ts';
import { type UnderstoodQuery, understand } from './understood-query.ts';

export interface RelevanceRequest {
  q: string;
  limit: number;
  offset: number;
  explain: boolean;
  /** What the filters leave of an index; null: everything. */
  select: (keywords: KeywordIndex) => DocumentSet | null;
}

/** Searches the targets in the order of relevance: see `RelevanceRanking`. */
export async function searchByRelevance(
  parts: SearchParts,
  targets: readonly Target[],
  request: RelevanceRequest,
): Promise<SearchOutcome> {
  const unreadable: Unreadable[] = [];
  const searched = await findSearched(parts, targets, unreadable);
  try {
    return { ...(await searchOnce(parts, searched, request)), searched, unreadable };
  } catch (error) {
    // What was replaced meanwhile is there in a newer revision when the search begins again.
    if (error instanceof RevisionGone) return searchByRelevance(parts, targets, request);
    throw error;
  }
}

async function searchOnce(
  parts: SearchParts,
  searched: readonly Target[],
  { q, limit, offset, explain, select }: RelevanceRequest,
): Promise<Omit<SearchOutcome, 'searched' | 'unreadable'>> {
  const query = parseQuery(q);
  const understood = await understand(query, parts.synonyms, (visit) =>
    eachIndex(parts, searched, ({ words }) => visit(words)),
  );
  const text = withCorrections(query.text, understood.corrections);
  const selection = await selectAll(parts, searched, query, select);
  const { reason, candidates } = await findByVector(parts, text, selection.byVector);
  const range = { offset, limit };
  const { total, hits: ranked } =
    query.text === ''
      ? await browse(selection.filters, range)
      : await rank(parts, searched, understood, selection.filters, candidates ?? [], range);
  const hits = await describeHits(
    parts,
    searched,
    ranked,
    explain ? (hit, score) => explainRelevance(understood, hit, score) : null,
  );
  if (!hits) throw new RevisionGone();
  const didYouMean = withCorrections(q, understood.corrections);
  return { reason, total, hits, ...(didYouMean === q ? {} : { didYouMean }) };
}

interface Selection {
  /** What of each target can be found: as many documents, or those of a set. */
  filters: Browsed[];
  byVector: VectorTarget[];
}

async function selectAll(
  parts: SearchParts,
  searched: readonly Target[],
  query: ParsedQuery,
  select: RelevanceRequest['select'],
): Promise<Selection> {
  const conditions = new Conditions(select, query);
  const selection: Selection = { filters: [], byVector: [] };
  await eachIndex(parts, searched, async (index, { row }) => {
    const filter = await conditions.select(index);
    selection.filters.push(filter ?? index.assetCount);
    selection.byVector.push(vectorTarget({ row, index }, filter));
  });
  return selection;
}

async function rank(
  parts: SearchParts,
  searched: readonly Target[],
  { slots }: UnderstoodQuery,
  filters: readonly Browsed[],
  candidates: Parameters<RelevanceRanking['page']>[0],
  range: { offset: number; limit: number },
): Promise<HitPage> {
  const ranking = new RelevanceRanking(slots);
  let target = 0;
  await eachIndex(parts, searched, async ({ words }) => {
    const filter = filters[target++] as Browsed;
    await ranking.add(words, typeof filter === 'number' ? null : filter);
  });
  return ranking.page(candidates, range);
}

/** Everything that the conditions leave, where no word is looked for. */
async function browse(
  filters: readonly Browsed[],
  range: { offset: number; limit: number },
): Promise<HitPage> {
  const { total, places } = await browsePage(filters, range);
  const unscored = { cosine: null, keyword: null, vectorPart: null, keywordPart: null, score: 0 };
  return { total, hits: places.map(({ target, document }) => ({ target, document, ...unscored })) };
}
