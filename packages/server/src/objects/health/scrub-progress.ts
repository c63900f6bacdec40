import type { Selectable } from 'kysely';
import type { Database, ScrubTable } from '../../database/schema.ts';

const ID = 'scrub';

export type ScrubRow = Selectable<ScrubTable>;

/**
 * The last object that was read in this round. Stores are read in the order of their ids, objects in that of their
 * hashes.
 */
export interface ScrubPosition {
  storeId: string;
  sha256: string;
}

export interface Amounts {
  objects: number;
  bytes: number;
  damaged: number;
}

export async function readScrub(db: Database): Promise<ScrubRow | null> {
  return (await db.selectFrom('scrub').selectAll().where('id', '=', ID).executeTakeFirst()) ?? null;
}

/** Returns the row, creating it if there is none yet. */
export async function openScrub(db: Database): Promise<ScrubRow> {
  await db
    .insertInto('scrub')
    .values({
      ...{ id: ID, holder: '', store_id: '', sha256: '', beats: 0, objects: 0, bytes: 0, damaged: 0 },
      ...{ ended_at: null, last_objects: null, last_bytes: null, last_damaged: null },
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return db.selectFrom('scrub').selectAll().where('id', '=', ID).executeTakeFirstOrThrow();
}

/** Makes `holder` the holder of the scrub, unless the row has changed since `seen` was read. Returns whether it did. */
export async function acquireScrub(db: Database, seen: ScrubRow, holder: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('scrub')
    .set((eb) => ({ holder, beats: eb('beats', '+', 1) }))
    .where('id', '=', ID)
    .where('holder', '=', seen.holder)
    .where('beats', '=', seen.beats)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Signals that the holder is alive. Returns false if another server holds the scrub by now. */
export async function sendHeartbeat(db: Database, holder: string): Promise<boolean> {
  return changed(db, holder, {});
}

/** Records what has been read. Returns false if another server took over the scrub: it has read the same, or will. */
export async function advance(
  db: Database,
  holder: string,
  { storeId, sha256 }: ScrubPosition,
  amounts: Amounts,
): Promise<boolean> {
  return changed(db, holder, { store_id: storeId, sha256, ...amounts });
}

/** Ends a round; the next one begins from the start. */
export async function endRound(db: Database, holder: string, at: number, amounts: Amounts): Promise<boolean> {
  const { objects, bytes, damaged } = amounts;
  return changed(db, holder, {
    ...{ store_id: '', sha256: '', objects: 0, bytes: 0, damaged: 0 },
    ...{ ended_at: at, last_objects: objects, last_bytes: bytes, last_damaged: damaged },
  });
}

/** Releases the scrub, so that any server can take it. */
export async function releaseScrub(db: Database, holder: string): Promise<void> {
  await changed(db, holder, { holder: '' });
}

async function changed(db: Database, holder: string, values: Partial<ScrubRow>): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('scrub')
    .set((eb) => ({ ...values, beats: eb('beats', '+', 1) }))
    .where('id', '=', ID)
    .where('holder', '=', holder)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
