import type { DocumentSet } from '../../revision/keywords/keyword-index.ts';
import type { WordIndex } from '../../revision/words/word-index.ts';
import { nextTurn, turnIsOver } from '../../service/turns.ts';
import { compareFused, type FusedHit, type FusedScore, keywordRange, mergePage } from '../fusion.ts';
import { Hits } from '../hits.ts';
import { rankPage } from '../rank.ts';
import type { HitPage, PageRange } from '../ranking.ts';
import { ScratchPool } from '../scratch.ts';
import type { VectorCandidate } from '../vectors/vector-search.ts';
import { fullScore, scoreWords, type WeighedSlot } from './score-words.ts';

/** What words count in the score, beside the cosine, which counts as it is. */
export const WORDS_WEIGHT = 2;

/** Shares of a query are ranked in steps of this fraction; within a step by the order of ties. */
const STEPS = 16_000;

const scores = new ScratchPool<Uint32Array>(Uint32Array);
const seen = new ScratchPool<Uint16Array>(Uint16Array);

/**
 * Ranks by relevance over one index after another: `2 × share + cosine`, where the share, from 0 to 1, says how much of
 * the query an asset has by its words. Both are absolute, so hits of any libraries, models and queries compare.
 */
export class RelevanceRanking {
  readonly #slots: readonly WeighedSlot[];
  readonly #full: number;
  readonly #hits = new Hits(STEPS);

  constructor(slots: readonly WeighedSlot[]) {
    this.#slots = slots;
    this.#full = fullScore(slots);
  }

  /** Finds the hits of one more index, among the documents that the filter leaves; null leaves all. */
  async add(index: WordIndex, filter: DocumentSet | null): Promise<void> {
    const { documentCount } = index;
    const memory = { scores: scores.borrow(documentCount), seen: seen.borrow(documentCount) };
    await scoreWords(index, this.#slots, memory);
    // What `seen` held is not needed any more.
    const keys = memory.seen;
    for (let document = 0; document < documentCount; document++) {
      keys[document] = Math.ceil(((memory.scores[document] as number) / this.#full) * STEPS);
    }
    this.#hits.add(keys, filter);
    scores.giveBack(memory.scores);
    seen.giveBack(memory.seen);
    if (turnIsOver()) await nextTurn();
  }

  /**
   * A page of the hits by words together with the candidates by vector, if any, the highest score first, then by the order
   * of the indexes, then by document number. Candidates whose cosine is not above zero are none. Ends the search.
   */
  async page(candidates: readonly VectorCandidate[], range: PageRange): Promise<HitPage> {
    const fused = candidates
      .filter(({ cosine }) => cosine > 0)
      .map(({ target, document, cosine }): FusedHit => {
        const key = this.#hits.take(target, document);
        return { target, document, ...relevance(key, cosine) };
      })
      .sort(compareFused);
    const { total, places } = await rankPage(this.#hits, keywordRange(fused.length, range));
    this.#hits.release();
    const hits = places.map(({ target, document, key }) => ({ target, document, ...relevance(key, null) }));
    return mergePage(fused, { total, hits }, range);
  }
}

function relevance(key: number, cosine: number | null): FusedScore {
  const keyword = key === 0 ? null : key / STEPS;
  const keywordPart = keyword === null ? null : WORDS_WEIGHT * keyword;
  return { keyword, cosine, keywordPart, vectorPart: cosine, score: (keywordPart ?? 0) + (cosine ?? 0) };
}
