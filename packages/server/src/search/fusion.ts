import type { VectorCandidate } from './vectors/vector-search.ts';

/** The weight of each side in the fused score (specification, "Search and ranking rules"). */
const VECTOR_WEIGHT = 1.0;
const KEYWORD_WEIGHT = 0.3;

/** The lowest and the highest value among the candidates of one side. */
export interface Span {
  least: number;
  most: number;
}

export function spanOf(values: Iterable<number>): Span {
  const span = { least: Number.POSITIVE_INFINITY, most: Number.NEGATIVE_INFINITY };
  for (const value of values) {
    if (value < span.least) span.least = value;
    if (value > span.most) span.most = value;
  }
  return span;
}

/** Min-max normalisation. If all values are equal: 1 if positive, else 0. */
export function normalised(value: number, { least, most }: Span): number {
  if (most > least) return (value - least) / (most - least);
  return value > 0 ? 1 : 0;
}

/** The scores of one candidate; a side in which it is not a candidate is null and counts 0. */
export interface FusedScore {
  cosine: number | null;
  keyword: number | null;
  vectorPart: number | null;
  keywordPart: number | null;
  score: number;
}

/** The two spans over the candidates of all targets. */
interface FusionSpans {
  cosine: Span;
  keyword: Span;
}

export function fusedScore(cosine: number | null, keyword: number | null, spans: FusionSpans): FusedScore {
  const vectorPart = cosine === null ? null : normalised(cosine, spans.cosine);
  const keywordPart = keyword === null ? null : normalised(keyword, spans.keyword);
  const score = VECTOR_WEIGHT * (vectorPart ?? 0) + KEYWORD_WEIGHT * (keywordPart ?? 0);
  return { cosine, keyword, vectorPart, keywordPart, score };
}

/** One candidate with its target and document. */
export interface FusedHit extends FusedScore {
  target: number;
  document: number;
  /** Whether it has none of the query's words and is only close in meaning; only in searches by relevance. */
  isRelated?: boolean;
}

/** The order of a fused ranking: by score, then target, then document. */
export function compareFused(a: FusedHit, b: FusedHit): number {
  return b.score - a.score || a.target - b.target || a.document - b.document;
}

/**
 * Fuses the candidates by vector of all targets, and returns them in ranked order. `keywords` has the keyword score of
 * each candidate, null if it is not a keyword hit.
 */
export function fuseCandidates(
  candidates: readonly VectorCandidate[],
  keywords: readonly (number | null)[],
  keyword: Span,
): { fused: FusedHit[]; spans: FusionSpans } {
  const spans = { cosine: spanOf(candidates.map(({ cosine }) => cosine)), keyword };
  const fused = candidates.map(({ target, document, cosine }, at) => ({
    target,
    document,
    ...fusedScore(cosine, keywords[at] ?? null, spans),
  }));
  return { fused: fused.sort(compareFused), spans };
}

/** Returns the range of the keyword-only hits that a page of the fused ranking can show. */
export function keywordRange(fusedCount: number, range: { offset: number; limit: number }) {
  const start = Math.max(0, range.offset - fusedCount);
  return { offset: start, limit: range.offset + range.limit - start };
}

/** Merges both sorted lists of hits into a page; `byKeyword.hits` are those in `keywordRange`. */
export function mergePage(
  fused: readonly FusedHit[],
  byKeyword: { total: number; hits: readonly FusedHit[] },
  range: { offset: number; limit: number },
): { total: number; hits: FusedHit[] } {
  const { offset: skipped } = keywordRange(fused.length, range);
  const [first] = byKeyword.hits;
  let place = skipped;
  let next = 0;
  // Candidates that rank before the first fetched keyword hit also rank before the page.
  if (first && skipped > 0) {
    while (next < fused.length && compareFused(fused[next] as FusedHit, first) < 0) next++;
    place += next;
  }
  const hits: FusedHit[] = [];
  const end = range.offset + range.limit;
  for (let other = 0; place < end; place++) {
    const candidate = fused[next];
    const keywordHit = byKeyword.hits[other];
    const takeCandidate = candidate && (!keywordHit || compareFused(candidate, keywordHit) < 0);
    const hit = takeCandidate ? candidate : keywordHit;
    if (!hit) break;
    if (takeCandidate) next++;
    else other++;
    if (place >= range.offset) hits.push(hit);
  }
  return { total: fused.length + byKeyword.total, hits };
}
