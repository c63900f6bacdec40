import type { MaintenanceContext } from '../../context.ts';
import { type VectorTarget, vectorTarget } from '../by-vector.ts';
import { qualifiedName, type Target } from '../targets.ts';
import type { Conditions } from './conditions.ts';
import { type Misses, missBit } from './misses.ts';
import { eachIndex } from './open-indexes.ts';

/** A target with the conditions that its documents fail, before words are searched. */
export interface SelectedTarget {
  target: Target;
  assetCount: number;
  /** Whether its hits are requested; if not, it is only counted in the library facet. */
  isChosen: boolean;
  /** Null if no document fails any. */
  misses: Misses | null;
  /** Unfiltered. */
  byVector: VectorTarget;
}

/** Applies the conditions to every target, with the library as one of them. */
export async function selectTargets(
  context: MaintenanceContext,
  searched: readonly Target[],
  conditions: Conditions,
  { libraries, facets }: { libraries?: readonly string[] | undefined; facets: boolean },
): Promise<SelectedTarget[]> {
  const wanted = libraries && new Set(libraries.map((library) => library.toLowerCase()));
  const selected: SelectedTarget[] = [];
  await eachIndex(context, searched, async (index, target) => {
    const isChosen = wanted?.has(qualifiedName(target)) ?? true;
    const own = isChosen || facets ? await conditions.missesIn(index) : null;
    const misses = isChosen || !facets ? own : inOtherLibrary(own ?? new Uint8Array(index.assetCount));
    const byVector = vectorTarget({ row: target.row, index }, null);
    selected.push({ target, assetCount: index.assetCount, isChosen, misses, byVector });
  });
  return selected;
}

function inOtherLibrary(misses: Misses): Misses {
  const bit = missBit('library');
  return misses.map((bits) => bits | bit);
}
