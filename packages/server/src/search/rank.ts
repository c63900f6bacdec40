import type { Pace } from './pace.ts';

/** One hit of a ranking: which document of which target, and its key. */
export interface Place {
  target: number;
  document: number;
  key: number;
}

export interface RankedPage {
  /** All hits, before pagination. */
  total: number;
  places: Place[];
}

/**
 * Ranks the documents of several targets by a small whole-number key, highest first; among equals the earlier target
 * comes first, then the lower document. Key 0 is no hit. Takes two passes whatever the offset: the first counts the
 * hits of every key, which tells the second the rank of each hit that it meets.
 */
export async function rankPage(
  targets: readonly Uint16Array[],
  highestKey: number,
  { offset, limit }: { offset: number; limit: number },
  pace: Pace,
): Promise<RankedPage> {
  const counts: Uint32Array[] = [];
  for (const keys of targets) {
    counts.push(countKeys(keys, highestKey));
    await pace.spend(keys.length);
  }
  const end = offset + limit;
  const { total, nextRank, lowestKey } = firstRanks(counts, highestKey, end);
  const places: Place[] = [];
  for (const [target, keys] of targets.entries()) {
    const next = nextRank[target] as Uint32Array;
    for (let document = 0; document < keys.length; document++) {
      const key = keys[document] as number;
      if (key < lowestKey) continue;
      const rank = next[key] as number;
      next[key] = rank + 1;
      if (rank >= offset && rank < end) places[rank - offset] = { target, document, key };
    }
    await pace.spend(keys.length);
  }
  return { total, places };
}

function countKeys(keys: Uint16Array, highestKey: number): Uint32Array {
  const counts = new Uint32Array(highestKey + 1);
  for (let document = 0; document < keys.length; document++) {
    const key = keys[document] as number;
    counts[key] = (counts[key] as number) + 1;
  }
  return counts;
}

/** For every target and key the rank of its first hit, and the lowest key of a hit that ranks before `end`. */
function firstRanks(counts: readonly Uint32Array[], highestKey: number, end: number) {
  const nextRank = counts.map(() => new Uint32Array(highestKey + 1));
  let total = 0;
  let lowestKey = 1;
  for (let key = highestKey; key > 0; key--) {
    if (total < end) lowestKey = key;
    for (const [target, count] of counts.entries()) {
      (nextRank[target] as Uint32Array)[key] = total;
      total += count[key] as number;
    }
  }
  return { total, nextRank, lowestKey };
}
