import type { SearchContext } from '../../context.ts';
import { isSemantic } from '../../libraries/read/library.ts';
import { targetByMeaning, type VectorTarget } from '../by-vector.ts';
import { areVectorsWorthJoining } from '../segments/segments.ts';
import { qualifiedName, type Target } from '../targets.ts';
import { type Conditions, type Misses, missBit, NOT_SEARCHED } from './conditions.ts';
import { eachSource, type OpenedSource, type Sources } from './sources.ts';

/** A target with the conditions that its documents fail, before words are searched. */
export interface SelectedTarget {
  target: Target;
  /** Whether its hits are requested; if not, it is only counted in the library facet. */
  isChosen: boolean;
  /** Null if no document fails any. */
  misses: Misses | null;
  /** Unfiltered. */
  byVector: VectorTarget;
}

/** What a search visits, with the conditions that the documents fail. */
export interface Selection extends Sources {
  /** In the order of the searched targets. */
  targets: readonly SelectedTarget[];
  /** Of the documents of each source, in the order of the sources; null if no document fails any. */
  misses: readonly (Misses | null)[];
}

/** Of a library that the engine searches. */
const NO_VECTORS: VectorTarget = { library: { vectors_model: null, vectors_dim: null }, vectors: null };

/** Applies the conditions to every source, with the library as one of them. */
export async function selectTargets(
  context: SearchContext,
  sources: Sources,
  conditions: Conditions,
  { libraries, facets }: { libraries?: readonly string[] | undefined; facets: boolean },
): Promise<Selection> {
  const wanted = libraries && new Set(libraries.map((library) => library.toLowerCase()));
  const targets: SelectedTarget[] = [];
  const all: (Misses | null)[] = [];
  await eachSource(context, sources, async (source) => {
    const chosen = source.members.map(({ target }) => isWanted(wanted, sources.searched[target] as Target));
    const isRead = facets || chosen.some((isChosen) => isChosen);
    const own = isRead ? await conditions.missesIn(source) : null;
    const areAll = own === null;
    const misses = markOthers(source, chosen, own);
    all.push(misses);
    for (const [at, member] of source.members.entries()) {
      const target = sources.searched[member.target] as Target;
      targets[member.target] = {
        target,
        isChosen: chosen[at] === true,
        misses:
          areAll && chosen[at] ? null : (misses?.subarray(member.first, member.first + member.count) ?? null),
        byVector: targetByMeaning(context, target.row, { ...member, assetCount: member.count }),
      };
    }
  });
  for (const { target: at } of sources.engine?.members ?? []) {
    const target = sources.searched[at] as Target;
    targets[at] = { target, isChosen: isWanted(wanted, target), misses: null, byVector: NO_VECTORS };
  }
  wantJoined(context, targets);
  return { ...sources, targets, misses: all };
}

function wantJoined({ segments, encoder }: SearchContext, targets: readonly SelectedTarget[]): void {
  let [alone, joined] = [0, 0];
  for (const { byVector } of targets) {
    if (byVector.vectors === null || !isSemantic(encoder.model, byVector.library)) continue;
    if (byVector.vectors.joined) joined++;
    else alone++;
  }
  if (areVectorsWorthJoining(alone, joined)) segments.isWanted = true;
}

function isWanted(wanted: ReadonlySet<string> | undefined, target: Target): boolean {
  return wanted?.has(qualifiedName(target)) ?? true;
}

/** Marks the documents of libraries that are not requested, and those that are not searched. */
function markOthers(
  { members, searched, assetCount }: OpenedSource,
  chosen: readonly boolean[],
  own: Misses | null,
): Misses | null {
  if (searched === null && chosen.every((isChosen) => isChosen)) return own;
  const misses = own ?? new Uint16Array(assetCount);
  const bit = missBit('library');
  for (const [at, { first, count }] of members.entries()) {
    if (chosen[at]) continue;
    for (let document = first; document < first + count; document++)
      misses[document] = (misses[document] as number) | bit;
  }
  if (searched === null) return misses;
  for (let document = 0; document < assetCount; document++)
    if (searched[document] === 0) misses[document] = NOT_SEARCHED;
  return misses;
}
