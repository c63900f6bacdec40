import { nextTurn, turnIsOver } from '../process/turns.ts';
import type { Hits } from './hits.ts';

/** One hit of a ranking: which document of which target, and its key. */
export interface RankedHit {
  target: number;
  document: number;
  key: number;
}

export interface RankedPage {
  /** All hits, before pagination. */
  total: number;
  places: RankedHit[];
}

/**
 * Ranks hits by key, highest first; ties go to the earlier target, then to the lower document. Takes one pass whatever
 * the offset: the number of hits with each key determines the rank of each hit as it is visited.
 */
export async function rankPage(
  hits: Hits,
  { offset, limit }: { offset: number; limit: number },
): Promise<RankedPage> {
  const end = offset + limit;
  const { total, nextRank, lowestKey } = firstRanks(hits.counts, end);
  const places: RankedHit[] = [];
  let wanted = Math.max(0, Math.min(end, total) - offset);
  for (let target = 0; target < hits.targets && wanted > 0; target++) {
    const { documents, keys } = hits.of(target);
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at] as number;
      if (key < lowestKey) continue;
      const rank = nextRank[key] as number;
      nextRank[key] = rank + 1;
      if (rank < offset || rank >= end) continue;
      places[rank - offset] = { target, document: documents[at] as number, key };
      wanted--;
    }
    if (turnIsOver()) await nextTurn();
  }
  return { total, places };
}

/** Returns the rank of the first hit with each key, and the lowest key of a hit that ranks before `end`. */
function firstRanks(counts: Uint32Array, end: number) {
  const nextRank = new Float64Array(counts.length);
  let total = 0;
  let lowestKey = 1;
  for (let key = counts.length - 1; key > 0; key--) {
    if (total < end) lowestKey = key;
    nextRank[key] = total;
    total += counts[key] as number;
  }
  return { total, nextRank, lowestKey };
}
