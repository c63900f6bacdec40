/** A query with the ids of the relevant assets. */
export interface JudgedQuery {
  q: string;
  type: string;
  relevant: string[];
}

/** The quality of one ranking; each measure is from 0 to 1. */
export interface Quality {
  /** The share of the relevant assets among the first ten. */
  recall: number;
  /** 1 divided by the rank of the first relevant asset; 0 if none was found. */
  reciprocalRank: number;
  /** Discounted cumulative gain at 10 over that of the ideal order (Järvelin and Kekäläinen 2002, binary gains). */
  ndcg: number;
}

const DEPTH = 10;

export function qualityOf(ranked: readonly string[], relevant: readonly string[]): Quality {
  const wanted = new Set(relevant);
  const first = ranked.findIndex((id) => wanted.has(id));
  const hits = ranked.slice(0, DEPTH).map((id) => wanted.has(id));
  const ideal = Array.from({ length: Math.min(DEPTH, wanted.size) }, () => true);
  return {
    recall: hits.filter(Boolean).length / wanted.size,
    reciprocalRank: first < 0 ? 0 : 1 / (first + 1),
    ndcg: discountedGain(hits) / discountedGain(ideal),
  };
}

function discountedGain(hits: readonly boolean[]): number {
  return hits.reduce((sum, hit, rank) => sum + (hit ? 1 / Math.log2(rank + 2) : 0), 0);
}

/** The mean of each measure. */
export function meanQuality(qualities: readonly Quality[]): Quality {
  const mean = (measure: keyof Quality) =>
    qualities.reduce((sum, quality) => sum + quality[measure], 0) / qualities.length;
  return { recall: mean('recall'), reciprocalRank: mean('reciprocalRank'), ndcg: mean('ndcg') };
}
