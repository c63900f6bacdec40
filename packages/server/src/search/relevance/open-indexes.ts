import type { MaintenanceContext } from '../../context.ts';
import { unlessLost } from '../../objects/damaged.ts';
import { type OpenedRevision, openRevision } from '../../objects/open-revision.ts';
import { type RelevanceIndex, servesRelevance } from '../../revision/revision-index.ts';
import { openTargets, type UnreadableTarget } from '../open-targets.ts';
import type { Target } from '../targets.ts';

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

async function openWithWords(context: MaintenanceContext, row: Target['row']): Promise<OpenedRevision> {
  const opened = await openRevision(context, row);
  if (servesRelevance(opened.index)) return opened;
  return openRevision(context, await context.indexRepairer.upgrade(opened.row));
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
  }
}
