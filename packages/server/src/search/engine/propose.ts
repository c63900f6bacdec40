import {
  type AskedFilters,
  compareUtf8,
  SEARCH_FILTERS,
  type SearchFilter,
  type SemanticReason,
} from '@bindery/contract';
import type { SearchContext } from '../../context.ts';
import type { OrderedAssets } from '../../revision/orders.ts';
import type { SharedPhrases } from '../../revision/words/shared-phrases.ts';
import type { OpenedAssets } from '../describe-hits.ts';
import type { SemanticCandidate } from '../relevance/candidates.ts';
import type { InterpretedQuery } from '../relevance/interpret-query.ts';
import type { Alternative } from '../relevance/query.ts';
import { withWordKeys } from '../relevance/score-words.ts';
import type { Target } from '../targets.ts';
import { CandidateWords } from './candidate-words.ts';
import { type EngineSource, filtersOf } from './engine-source.ts';
import { findByWords, type ProposalRequest } from './find-by-words.ts';
import { findNear, type Near, type NearCandidate } from './near.ts';
import { PlacedCandidates } from './placed-candidates.ts';
import type { EngineCandidate, EngineCounts } from './search-engine.ts';

/** What the engine proposes of one library. */
export interface ProposedMember {
  target: number;
  assets: OrderedAssets;
  /** As `withWordKeys` gives them; null if there is nothing to search for. */
  keys: Uint16Array | null;
}

/** What the engine proposes for a search. A document is the position of an asset among those proposed of its library. */
export interface Proposal {
  members: ProposedMember[];
  /** How many hits there are that were not proposed. */
  beyond: number;
  reason: SemanticReason;
  near: SemanticCandidate[];
  /** What is counted, if facets are requested: what has words, and what is only related. */
  facets: { counts: ProposedCounts | null; related: RelatedAsset[] } | null;
  /** Reads what these hits show, all at once. */
  load(hits: readonly { target: number; document: number }[], explain: boolean): Promise<void>;
  /** What was read; null for a library that is not in the engine. */
  assetsOf(target: number): OpenedAssets | null;
}

/** What the engine counted, of libraries by their position among the searched targets. */
type ProposedCounts = Omit<EngineCounts, 'libraries'> & { targets: ReadonlyMap<number, number> };

/** An asset without any of the words, and the filters by whose values it is counted. */
export interface RelatedAsset {
  target: number;
  candidate: NearCandidate;
  filters: readonly SearchFilter[];
}

/** Has the engine propose candidates, and determines how much of the query they match. */
export async function propose(
  context: SearchContext,
  engine: EngineSource,
  searched: readonly Target[],
  request: ProposalRequest,
): Promise<Proposal> {
  const { query, text, interpreted, asked, facets, match, nearness } = request;
  const filters = filtersOf(engine, searched, asked, query);
  const near = await findNear(context, engine, text, { filters, asked, facets, nearness });
  const byWords = match !== 'meaning';
  const found = byWords
    ? await findByWords(engine, searched, filters, request)
    : { total: 0, candidates: [], facets: null, counts: null };
  const shown = uniqueById([...found.candidates, ...near.hits]);
  const counted = uniqueById([...shown.values(), ...[...near.without.values()].flat()]);
  const keys = query.text === '' ? null : await keysOf([...counted.values()], interpreted.slots);
  const hasWords = (id: string) => keys === null || (keys.get(id) ?? 0) > 0;
  const placed = new PlacedCandidates(engine, [...shown.values()]);
  const members = engine.members.map(({ target }): ProposedMember => {
    const candidates = placed.of(target);
    const assets = orderedAssets(
      candidates,
      found.counts ? (found.counts.get(target) ?? 0) : candidates.length,
    );
    return { target, assets, keys: keys && Uint16Array.from(candidates, ({ id }) => keys.get(id) ?? 0) };
  });
  const proposed = [...shown.keys()].filter(hasWords).length;
  const targetOf = new Map(engine.members.map(({ number, target }) => [number, target]));
  const related =
    match === 'words'
      ? []
      : relatedAssets(near, asked, (id) => byWords && hasWords(id)).map((one) => ({
          ...one,
          target: targetOf.get(one.candidate.library) as number,
        }));
  const phrases = new Map<number, SharedPhrases>();
  return {
    members,
    beyond: byWords && found.counts === null ? Math.max(0, found.total - proposed) : 0,
    reason: near.reason,
    near: near.hits.map((one) => ({
      ...placed.placeOf(one),
      ...{ cosine: one.cosine, isRelated: one.isRelated, byTexts: 0 },
    })),
    facets: facets ? { counts: ofTargets(found.facets, targetOf), related } : null,
    async load(hits, explain) {
      await placed.load(hits);
      const own = hits.map(({ target }) => target).filter((target) => placed.has(target));
      if (explain) await readPhrases(context, searched, new Set(own), phrases);
    },
    assetsOf: (target) =>
      placed.has(target)
        ? {
            read: async (document) => placed.described(target, document),
            sharedPhrases: () => phrases.get(target) ?? new Set(),
          }
        : null,
  };
}

function uniqueById<Candidate extends EngineCandidate>(
  candidates: readonly Candidate[],
): Map<string, Candidate> {
  return new Map(candidates.map((candidate) => [candidate.id, candidate]));
}

async function keysOf(
  candidates: readonly EngineCandidate[],
  slots: InterpretedQuery['slots'],
): Promise<ReadonlyMap<string, number>> {
  const words = await CandidateWords.of(candidates);
  const find = (_: CandidateWords, alternative: Alternative) => words.find(alternative);
  return withWordKeys(
    words,
    { slots, find },
    async (keys) => new Map(candidates.map(({ id }, at) => [id, keys[at] as number])),
  );
}

/** @param count how many there are, of which the first were proposed */
function orderedAssets(candidates: readonly EngineCandidate[], count: number): OrderedAssets {
  const numbers = candidates.map((_, at) => at);
  const at = (number: number) => candidates[number] as EngineCandidate;
  return {
    assetCount: count,
    orders: {
      title: Uint32Array.from(
        numbers.toSorted((a, b) => compareUtf8(at(a).titleKey, at(b).titleKey) || a - b),
      ),
      size: Uint32Array.from(numbers.toSorted((a, b) => at(b).bytes - at(a).bytes || a - b)),
    },
    titleKey: (number) => at(number).titleKey,
    bytes: (number) => at(number).bytes,
  };
}

/** Returns the candidates by meaning that facets count apart from those that have words. */
function relatedAssets(
  { hits, without }: Near,
  asked: AskedFilters,
  isCounted: (id: string) => boolean,
): Omit<RelatedAsset, 'target'>[] {
  const unasked = SEARCH_FILTERS.filter((filter) => asked[filter] === undefined);
  const among = [[hits, unasked] as const, ...[...without].map(([filter, own]) => [own, [filter]] as const)];
  return among.flatMap(([candidates, filters]) =>
    candidates
      .filter(({ id, isRelated }) => isRelated && !isCounted(id))
      .map((candidate) => ({ candidate, filters })),
  );
}

function ofTargets(
  counts: EngineCounts | null,
  targetOf: ReadonlyMap<number, number>,
): ProposedCounts | null {
  if (counts === null) return null;
  const { libraries, ...others } = counts;
  const targets = new Map(
    [...libraries].flatMap(([library, count]) => {
      const target = targetOf.get(library);
      return target === undefined ? [] : [[target, count] as const];
    }),
  );
  return { ...others, targets };
}

async function readPhrases(
  { db }: SearchContext,
  searched: readonly Target[],
  targets: ReadonlySet<number>,
  phrases: Map<number, SharedPhrases>,
): Promise<void> {
  const byId = new Map([...targets].map((target) => [(searched[target] as Target).row.id, target]));
  if (byId.size === 0) return;
  const rows = await db
    .selectFrom('searched_libraries')
    .select(['library_id', 'shared_phrases'])
    .where('library_id', 'in', [...byId.keys()])
    .execute();
  for (const { library_id: id, shared_phrases } of rows)
    phrases.set(byId.get(id) as number, new Set(JSON.parse(shared_phrases)));
}
