import { type OpenedRevision, type OpenParts, openRevision } from '../../libraries/read/open-revision.ts';
import { unlessLost } from '../../objects/damaged.ts';
import type { Parts } from '../../parts.ts';
import { type RelevanceIndex, servesRelevance } from '../../revision/revision-index.ts';
import { openTargets, type Unreadable } from '../open-targets.ts';
import type { Target } from '../targets.ts';

/** A revision that was there when the search began has gone since: the search has to begin again. */
export class RevisionGone extends Error {}

/**
 * The targets that can be searched, each with the row of the revision that is searched. An index from before there was
 * all that this needs is rebuilt first, once for all.
 */
export async function findSearched(
  parts: OpenParts,
  targets: readonly Target[],
  unreadable: Unreadable[],
): Promise<Target[]> {
  const searched: Target[] = [];
  for await (const [target, opened] of openTargets(parts, targets, unreadable, openWithWords)) {
    searched.push({ ...target, row: opened.row });
  }
  return searched;
}

async function openWithWords(parts: OpenParts, row: Target['row']): Promise<OpenedRevision> {
  const opened = await openRevision(parts, row);
  if (servesRelevance(opened.index)) return opened;
  return openRevision(parts, await parts.indexMender.renew(opened.row));
}

/**
 * Visits the index of every target in turn. None is held from one search's pass to the next, so that memory stays within
 * the cache's bounds, however many libraries are searched. Throws `RevisionGone`.
 */
export async function eachIndex(
  { revisions }: Pick<Parts, 'revisions'>,
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
