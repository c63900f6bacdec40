import type { Selectable } from 'kysely';
import type { Database, ScrubTable } from '../../../database/schema.ts';

const ID = 'scrub';

export type ScrubRow = Selectable<ScrubTable>;

/** Objects up to and including this one have been read in this round; stores and hashes in their order. */
export interface Place {
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

/** The row, made where there is none yet. */
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

/** Makes the scrub a holder's own, unless anybody has done something since the row was read. */
export async function takeScrub(db: Database, seen: ScrubRow, holder: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('scrub')
    .set((eb) => ({ holder, beats: eb('beats', '+', 1) }))
    .where('id', '=', ID)
    .where('holder', '=', seen.holder)
    .where('beats', '=', seen.beats)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Tells others that the holder goes on. False where somebody else has the scrub by now. */
export async function beat(db: Database, holder: string): Promise<boolean> {
  return changed(db, holder, {});
}

/** Records what has been read. False where somebody else has the scrub by now, and so has read it, or will. */
export async function advance(
  db: Database,
  holder: string,
  { storeId, sha256 }: Place,
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

/** Leaves the scrub to whoever wants it. */
export async function leaveScrub(db: Database, holder: string): Promise<void> {
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
