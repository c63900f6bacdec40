import { findRevision } from '../../access/libraries.ts';
import type { Context, MaintenanceContext } from '../../context.ts';
import { notFound } from '../../errors.ts';
import { unlessLost } from '../../objects/damaged.ts';
import { openRevision } from '../../objects/open-revision.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { type RelevanceIndex, servesRelevance } from '../../revision/revision-index.ts';
import { targetByMeaning, type VectorTarget } from '../by-vector.ts';
import {
  type OpenedTarget,
  openTargets,
  qualifiedName,
  type Target,
  type UnreadableTarget,
} from '../targets.ts';
import { type Conditions, type Misses, missBit } from './conditions.ts';

/** A revision that was present when the search began is gone: the search has to start again. */
export class RevisionGone extends Error {}

/**
 * Returns the targets that can be searched, each with the row of the searched revision. An index of an older version
 * that lacks what this search needs is first rebuilt, permanently.
 */
export async function findSearchableTargets(
  context: MaintenanceContext,
  targets: readonly Target[],
  unreadable: UnreadableTarget[],
): Promise<Target[]> {
  const searched: Target[] = [];
  for await (const [target, opened] of openTargets(context, targets, unreadable, openWithWords)) {
    searched.push({ ...target, row: opened.row });
  }
  return searched;
}

async function openWithWords(context: MaintenanceContext, row: Target['row']): Promise<OpenedTarget> {
  const opened = await openRevision(context, row);
  if (servesRelevance(opened.index)) return opened;
  const whole = await findRevision(context.db, opened.row);
  if (whole === null) throw notFound();
  return openRevision(context, await context.indexRepairer.upgrade(whole));
}

/**
 * Visits the index of every target in turn. No index is retained between the passes of a search, so memory stays within
 * the limits of the cache, however many libraries are searched. Throws `RevisionGone` if an index is gone.
 */
export async function eachIndex(
  { revisions }: MaintenanceContext,
  searched: readonly Target[],
  visit: (index: RelevanceIndex, target: Target) => Promise<void>,
): Promise<void> {
  for (const target of searched) {
    const { store_id: storeId, index_sha256: sha256 } = target.row;
    const index = await unlessLost(revisions.load({ storeId, sha256 }));
    if (!index || !servesRelevance(index)) throw new RevisionGone();
    await visit(index, target);
    if (turnIsOver()) await nextTurn();
  }
}

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
  context: Context,
  searched: readonly Target[],
  conditions: Conditions,
  { libraries, facets }: { libraries?: readonly string[] | undefined; facets: boolean },
): Promise<SelectedTarget[]> {
  const wanted = libraries && new Set(libraries.map((library) => library.toLowerCase()));
  const selected: SelectedTarget[] = [];
  await eachIndex(context, searched, async (index, target) => {
    const isChosen = wanted?.has(qualifiedName(target)) ?? true;
    const own = isChosen || facets ? await conditions.missesIn(index) : null;
    const misses = isChosen || !facets ? own : inOtherLibrary(own ?? new Uint16Array(index.assetCount));
    const byVector = targetByMeaning(context, { row: target.row, index });
    selected.push({ target, assetCount: index.assetCount, isChosen, misses, byVector });
  });
  return selected;
}

function inOtherLibrary(misses: Misses): Misses {
  const bit = missBit('library');
  return misses.map((bits) => bits | bit);
}
