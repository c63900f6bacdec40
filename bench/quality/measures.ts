import type { JudgedQuery } from './judged-set.ts';

/** A query with what one search found for it, best first. */
export interface RankedQuery extends JudgedQuery {
  ranked: string[];
}

/** How well one search answers queries. */
export interface Quality {
  queries: number;
  /** The share of the relevant assets among the first ten, of ten at most. */
  recall: number;
  /** Half of the 95 % interval of `recall` for queries like these: 1.96 standard errors. */
  margin: number;
  /** Discounted cumulative gain of the first ten by that of the ideal order, with binary gains (Järvelin and Kekäläinen 2002). */
  ndcg: number;
  /** One by the rank of the first relevant asset. */
  reciprocalRank: number;
}

/** How a search answers queries for what is not there. */
export interface Silence {
  queries: number;
  /** The share for which it finds nothing. */
  silent: number;
  /** How many hits it has on average. */
  hits: number;
}

const DEPTH = 10;

export function qualityOf(ranked: readonly RankedQuery[]): Quality {
  const asked = ranked.filter(({ relevant }) => relevant.length > 0);
  return {
    queries: asked.length,
    recall: mean(asked, recall),
    margin: 1.96 * Math.sqrt(variance(asked, recall) / asked.length),
    ndcg: mean(asked, ndcg),
    reciprocalRank: mean(asked, reciprocalRank),
  };
}

export function silenceOf(ranked: readonly RankedQuery[]): Silence {
  const unanswerable = ranked.filter(({ relevant }) => relevant.length === 0);
  return {
    queries: unanswerable.length,
    silent: mean(unanswerable, (query) => (query.ranked.length === 0 ? 1 : 0)),
    hits: mean(unanswerable, (query) => query.ranked.length),
  };
}

function mean(queries: readonly RankedQuery[], measure: (query: RankedQuery) => number): number {
  return queries.reduce((sum, query) => sum + measure(query), 0) / queries.length;
}

function variance(queries: readonly RankedQuery[], measure: (query: RankedQuery) => number): number {
  const centre = mean(queries, measure);
  const squares = queries.reduce((sum, query) => sum + (measure(query) - centre) ** 2, 0);
  return squares / (queries.length - 1);
}

/** Whether each of the first ten is relevant. */
const hitsOf = ({ ranked, relevant }: RankedQuery) =>
  ranked.slice(0, DEPTH).map((id) => relevant.includes(id));

const recall = (query: RankedQuery) =>
  hitsOf(query).filter(Boolean).length / Math.min(DEPTH, query.relevant.length);

function reciprocalRank({ ranked, relevant }: RankedQuery): number {
  const first = ranked.findIndex((id) => relevant.includes(id));
  return first < 0 ? 0 : 1 / (first + 1);
}

function ndcg(query: RankedQuery): number {
  const gain = (hits: readonly boolean[]) =>
    hits.reduce((sum, hit, rank) => sum + (hit ? 1 / Math.log2(rank + 2) : 0), 0);
  return gain(hitsOf(query)) / gain(query.relevant.slice(0, DEPTH).map(() => true));
}
