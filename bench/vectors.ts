import { type BenchmarkRow, table } from './results-table.ts';
import { benchNearest } from './vectors/nearest.ts';
import { benchFusedSearches, FULL_SCALE } from './vectors/searches.ts';

/** Vector search: nearest neighbours, then whole searches. Takes minutes, and 8 GB of disk for fifty libraries. */
export async function benchVectors(libraries: number = FULL_SCALE.libraries): Promise<BenchmarkRow[]> {
  return [...(await benchNearest()), ...(await benchFusedSearches({ ...FULL_SCALE, libraries }))];
}

if (import.meta.main) {
  const [libraries = FULL_SCALE.libraries] = process.argv.slice(2).map(Number);
  console.log(table(await benchVectors(libraries)));
}
