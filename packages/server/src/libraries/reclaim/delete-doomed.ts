import { randomBytes } from 'node:crypto';
import type { Reclaimed } from '../../objects/store.ts';
import type { Parts } from '../../parts.ts';
import { forgetDamaged } from '../integrity/damaged-objects.ts';
import { beginDeleting, endDeleting, stillDeleting, takeOverDeletions } from './doomed-objects.ts';
import { marked } from './due.ts';

type DeletingParts = Pick<Parts, 'db' | 'objects'>;

/** Deletes what nothing has named since `before`, a batch at a time while no register of the library runs. */
export async function deleteDoomed(
  parts: DeletingParts & Pick<Parts, 'storeLocks'>,
  storeId: string,
  before: number,
): Promise<Reclaimed> {
  const { db, storeLocks } = parts;
  const { freed } = await storeLocks.hold(storeId, () => finishDeletions(parts, storeId));
  for (;;) {
    const batch = await storeLocks.hold(storeId, async () => {
      const deleter = newDeleter();
      const hashes = await beginDeleting(db, storeId, deleter, before);
      return hashes.length === 0 ? null : deleteObjects(parts, storeId, hashes, deleter);
    });
    if (batch === null) return freed;
    freed.objects += batch.objects;
    freed.bytes += batch.bytes;
  }
}

/**
 * Finishes deletions that another process began; that one, if it goes on, finds nothing of its own to delete. Nobody else
 * has deleted anything since while `library_names.deletions` is still `deletions`.
 */
export async function finishDeletions(
  parts: DeletingParts,
  storeId: string,
): Promise<{ freed: Reclaimed; deletions: number }> {
  const deleter = newDeleter();
  const { hashes, deletions } = await takeOverDeletions(parts.db, storeId, deleter);
  const nothing = { objects: 0, bytes: 0 };
  const freed = hashes.length === 0 ? nothing : await deleteObjects(parts, storeId, hashes, deleter);
  return { freed, deletions };
}

/** Puts back what a process took out of sight that was not its own to delete, where it ended before it could. */
export async function restoreInterrupted({ db, objects }: DeletingParts): Promise<void> {
  await objects.restoreInterrupted(async ({ storeId, sha256 }) => {
    const isDeleted = (await stillDeleting(db, storeId, [sha256])).has(sha256);
    if (!isDeleted) await searchAgain(db, storeId);
    return isDeleted;
  });
}

async function deleteObjects(
  parts: DeletingParts,
  storeId: string,
  hashes: readonly string[],
  deleter: string,
): Promise<Reclaimed> {
  const { db, objects } = parts;
  const freed = await objects.delete(storeId, hashes, async (some) => {
    const own = await stillDeleting(db, storeId, some, deleter);
    if (own.size < some.length) await searchAgain(db, storeId);
    return own;
  });
  await forgetDamaged(parts, storeId, [...(await stillDeleting(db, storeId, hashes, deleter))]);
  await endDeleting(db, storeId, hashes, deleter);
  return freed;
}

/** What is put back may be named by nothing, and whoever took the deletion over may have ended its search by then. */
async function searchAgain(db: Parts['db'], storeId: string): Promise<void> {
  await db.updateTable('library_names').set(marked(0)).where('store_id', '=', storeId).execute();
}

/** Names one deletion, so that two of the same object are told apart. */
function newDeleter(): string {
  return randomBytes(9).toString('base64url');
}
