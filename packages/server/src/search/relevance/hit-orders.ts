import { compareUtf8, LIMITS } from '@bindery/contract';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { DocumentSet } from '../../revision/keywords/keyword-index.ts';
import type { OrderedAssets, Orders } from '../../revision/orders.ts';
import { compareFused, type FusedHit, type FusedScore, keywordRange, mergePage } from '../fusion.ts';
import { Hits } from '../hits.ts';
import { type Browsed, browsePage, type HitPage, type PageRange, rankPage } from '../ranking.ts';
import type { SemanticCandidate } from './candidates.ts';
import { STEPS } from './score-words.ts';

/** What was found in one library. */
interface IndexHits {
  /**
   * The share of the query that each document matches, in units of 1 / `STEPS`; null if there is nothing to search for
   * and everything is a hit.
   */
  keys: Uint16Array | null;
  /** The documents that meet the conditions; null for all. */
  filter: DocumentSet | null;
}

/** Collects the hits of one library after another, in any order, and returns an ordered page of them. */
interface HitOrder {
  add(target: number, library: Library, found: IndexHits): Promise<void>;
  /** Ends the search. */
  page(): Promise<HitPage>;
}

interface Library {
  assets: OrderedAssets;
  updatedAt: number;
}

/** Which of the assets that a query finds are hits. */
export interface Wanted {
  /** Whether those with words of the query are. */
  byWords: boolean;
  /** Whether those are that have none and are related to it. */
  byMeaning: boolean;
}

export function hitOrder(
  sort: 'relevance' | Sort,
  found: { isBrowse: boolean; candidates: readonly SemanticCandidate[]; wanted: Wanted },
  range: PageRange,
): HitOrder {
  const all = { ...found, beyond: cosineBeyond(found.candidates) };
  if (sort !== 'relevance') return sorted(sort, all, range);
  return found.isBrowse ? browsed(range) : ranked(all, range);
}

interface Found {
  candidates: readonly SemanticCandidate[];
  wanted: Wanted;
  /** The cosine that counts for assets that are no candidates. */
  beyond: number;
}

/** What an asset beyond the last candidate has of its cosine, which is all that is known of it. */
const OF_THE_LAST = 0.9;

/** Without it, what has a word of the query but is beyond the last candidate would rank below all that has none. */
function cosineBeyond(candidates: readonly SemanticCandidate[]): number {
  if (candidates.length < LIMITS.embedding.candidates) return 0;
  return OF_THE_LAST * Math.min(...candidates.map(({ cosine }) => cosine));
}

function ranked({ candidates, wanted, beyond }: Found, range: PageRange): HitOrder {
  const ranking = new RelevanceRanking(beyond);
  return {
    add: async (target, _library, { keys, filter }) => ranking.add(target, keys ?? NOTHING, filter),
    page: () => ranking.page(candidates, wanted, range),
  };
}

/** Everything that meets the conditions, if there is nothing to search for. */
function browsed(range: PageRange): HitOrder {
  const targets: Browsed[] = [];
  return {
    add: async (target, { assets }, { filter, keys }) => {
      targets[target] = keys === null ? (filter ?? assets.assetCount) : 0;
    },
    page: async () => {
      const { total, places } = await browsePage(targets, range);
      return { total, hits: places.map(({ target, document }) => ({ target, document, ...UNSCORED })) };
    },
  };
}

function sorted(sort: Sort, { candidates, wanted, beyond }: Found, range: PageRange): HitOrder {
  const hits = new SortedHits(sort, range);
  const near = Map.groupBy(candidates, ({ target }) => target);
  return {
    add: async (target, library, { keys, filter }) => {
      const own = new Map(near.get(target)?.map((candidate) => [candidate.document, candidate]));
      await hits.add(target, library, (document) => {
        if (filter !== null && filter[document] === 0) return null;
        if (keys === null) return UNSCORED;
        const key = keys[document] ?? 0;
        const candidate = own.get(document);
        return isWanted(key, candidate, wanted) ? relevance(key, candidate ?? null, beyond) : null;
      });
    },
    page: async () => hits.page(),
  };
}

const NOTHING = new Uint16Array();
const UNSCORED: FusedScore = { cosine: null, keyword: null, vectorPart: null, keywordPart: null, score: 0 };

function isWanted(
  key: number,
  candidate: SemanticCandidate | undefined,
  { byWords, byMeaning }: Wanted,
): boolean {
  return key === 0 ? byMeaning && candidate?.isRelated === true : byWords;
}

/** The weight of words in the score; that of the cosine is 1. */
const WORDS_WEIGHT = 3;

/**
 * Returns what the words of a query count, given the share of it that an asset matches: its square, since an asset with
 * one common word of a description is seldom what is described, and one with all of them nearly always.
 */
function wordsPart(share: number): number {
  return WORDS_WEIGHT * share * share;
}

/**
 * Ranks by relevance over one library after another: `3 × share² + cosine + word by word / 2`, where the share, from 0 to
 * 1, is how much of the query an asset matches by its words. What is known to have more or fewer of something than the
 * query asks for has the first part alone. All are absolute, so hits of different libraries, models and queries are
 * comparable.
 */
export class RelevanceRanking {
  readonly #hits = new Hits(STEPS);
  readonly #beyond: number;

  /** @param beyond the cosine that counts for hits that are no candidates */
  constructor(beyond = 0) {
    this.#beyond = beyond;
  }

  /** Adds the hits of a library from the keys of its documents, if the filter admits them; null admits all. */
  add(target: number, keys: Uint16Array, filter: DocumentSet | null): void {
    this.#hits.add(target, keys, filter);
  }

  /**
   * Returns a page of the wanted among the hits by words and the candidates by vector, ordered by descending score, then
   * by library, then by document number. Ends the search.
   */
  async page(candidates: readonly SemanticCandidate[], wanted: Wanted, range: PageRange): Promise<HitPage> {
    const fused = candidates
      .flatMap((candidate): FusedHit[] => {
        const { target, document } = candidate;
        const key = this.#hits.remove(target, document);
        return isWanted(key, candidate, wanted) ? [{ target, document, ...relevance(key, candidate) }] : [];
      })
      .sort(compareFused);
    const { total, places } = wanted.byWords
      ? await rankPage(this.#hits, keywordRange(fused.length, range))
      : { total: 0, places: [] };
    this.#hits.release();
    const hits = places.map(({ target, document, key }) => ({
      target,
      document,
      ...relevance(key, null, this.#beyond),
    }));
    return mergePage(fused, { total, hits }, range);
  }
}

/**
 * Returns the score of a hit from the key of its words, 0 for none, and from how near it is in meaning, null if it is no
 * candidate, in place of which `beyond` counts.
 */
export function relevance(
  key: number,
  near: Pick<SemanticCandidate, 'cosine' | 'byTexts'> | null,
  beyond = 0,
): Omit<FusedHit, 'target' | 'document'> {
  const keyword = key === 0 ? null : key / STEPS;
  const keywordPart = keyword === null ? null : wordsPart(keyword);
  const vectorPart = near === null ? beyond || null : near.cosine + near.byTexts;
  const score = (keywordPart ?? 0) + (vectorPart ?? 0);
  return { keyword, cosine: near?.cosine ?? null, keywordPart, vectorPart, score, isRelated: key === 0 };
}

/** Orders of hits other than by relevance. */
export type Sort = 'newest' | 'title' | 'size';

type SortValue = string | number;

interface SortedHit extends FusedHit {
  value: SortValue;
}

/** How assets are sorted: by which value, how values compare, and which order stored in an index matches, if any. */
interface SortRule {
  value(library: Library, document: number): SortValue;
  compare(a: SortValue, b: SortValue): number;
  order: keyof Orders | null;
}

const highestFirst = (a: SortValue, b: SortValue) => Number(b) - Number(a);

const RULES: Readonly<Record<Sort, SortRule>> = {
  // Assets have no timestamps: that of their library counts.
  newest: { value: ({ updatedAt }) => updatedAt, compare: highestFirst, order: null },
  title: {
    value: ({ assets }, document) => assets.titleKey(document),
    compare: (a, b) => compareUtf8(String(a), String(b)),
    order: 'title',
  },
  size: { value: ({ assets }, document) => assets.bytes(document), compare: highestFirst, order: 'size' },
};

/**
 * A page of hits in an order other than by relevance, collected from one library after another. The documents of
 * each are visited in that order, so once a hit would rank after the page, the rest of the library is only counted.
 */
class SortedHits {
  readonly #rule: SortRule;
  readonly #range: PageRange;
  readonly #end: number;
  #best: SortedHit[] = [];
  #total = 0;

  constructor(sort: Sort, range: PageRange) {
    this.#rule = RULES[sort];
    this.#range = range;
    this.#end = range.offset + range.limit;
  }

  /** Adds the hits of a library; `scoreOf` returns null for a document that is not a hit. */
  async add(
    target: number,
    library: Library,
    scoreOf: (document: number) => FusedScore | null,
  ): Promise<void> {
    const { value, order } = this.#rule;
    const { assetCount, orders } = library.assets;
    const found: SortedHit[] = [];
    const worst = this.#best.length === this.#end ? this.#best.at(-1) : undefined;
    let open = true;
    for (let at = 0; at < assetCount; at++) {
      const document = order === null ? at : (orders[order][at] as number);
      const score = scoreOf(document);
      if (score !== null) {
        this.#total++;
        if (open) {
          const hit = { target, document, ...score, value: value(library, document) };
          open = found.length < this.#end && (worst === undefined || this.#compare(hit, worst) < 0);
          if (open) found.push(hit);
        }
      }
      if (at % 256 === 0 && turnIsOver()) await nextTurn();
    }
    if (found.length > 0) {
      const compare = (a: SortedHit, b: SortedHit) => this.#compare(a, b);
      this.#best = merged(this.#best, found, compare).slice(0, this.#end);
    }
    if (turnIsOver()) await nextTurn();
  }

  #compare(a: SortedHit, b: SortedHit): number {
    return this.#rule.compare(a.value, b.value) || a.target - b.target;
  }

  page(): HitPage {
    const hits = this.#best.slice(this.#range.offset).map(({ value: _, ...hit }) => hit);
    return { total: this.#total, hits };
  }
}

/** Merges two sorted lists; on ties the hits of the first list come first. */
function merged(
  one: readonly SortedHit[],
  other: readonly SortedHit[],
  compare: (a: SortedHit, b: SortedHit) => number,
): SortedHit[] {
  const all: SortedHit[] = [];
  let next = 0;
  for (const hit of other) {
    while (next < one.length && compare(one[next] as SortedHit, hit) <= 0) all.push(one[next++] as SortedHit);
    all.push(hit);
  }
  for (; next < one.length; next++) all.push(one[next] as SortedHit);
  return all;
}
