import { randomBytes } from 'node:crypto';
import { chunks } from '@bindery/concurrency';
import type { Selectable } from 'kysely';
import type { DatabaseContext, MaintenanceContext } from '../../context.ts';
import type { Database } from '../../database/schema.ts';
import type { DirectUploadsTable } from '../../database/tables/libraries.ts';
import type { AnnouncedUpload, DirectUpload, StoredObject } from '../../objects/store.ts';
import { insertReceipts } from './receive.ts';

/*
 * Uploads that bypass the service: clients send them straight to a bucket, by presigned URLs. Nothing reports when they
 * have arrived, so a row records what was announced, and a register asks the store for it.
 */

/** Rows per statement: few enough not to delay other requests. */
const ROWS_AT_ONCE = 200;

/** Records uploads that are about to bypass the service. */
export async function announceDirect(
  { db, clock }: DatabaseContext,
  storeId: string,
  uploads: readonly AnnouncedUpload[],
): Promise<DirectUpload[]> {
  if (uploads.length === 0) return [];
  const announced = uploads.map((upload) => ({ ...upload, uploadId: randomBytes(16).toString('hex') }));
  const { last_upload: number } = await db
    .selectFrom('library_names')
    .select('last_upload')
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow();
  const rows = announced.map(({ uploadId, path, size, sha256 }) => ({
    ...{ id: uploadId, store_id: storeId, path, size, sha256, number },
    ...{ created_at: clock(), arrived: 0 },
  }));
  for (const some of chunks(rows, ROWS_AT_ONCE)) await db.insertInto('direct_uploads').values(some).execute();
  return announced;
}

/** Asks the store for uploads that bypassed the service, and records a receipt for each that has arrived. */
export async function collectDirect(
  { db, clock, objects }: MaintenanceContext,
  storeId: string,
): Promise<void> {
  const rows = await db
    .selectFrom('direct_uploads')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('arrived', '=', 0)
    .orderBy('number')
    .orderBy('id')
    .execute();
  if (rows.length === 0) return;
  const collected = await objects.collectDirectUploads(rows.map(uploadOf));
  const arrived = rows.flatMap((row, at) => {
    const stored = collected[at];
    return stored ? [{ row, stored }] : [];
  });
  for (const some of chunks(arrived, ROWS_AT_ONCE)) {
    await db.transaction().execute((trx) => recordArrived({ db: trx, clock }, storeId, some));
  }
}

interface Arrived {
  row: Selectable<DirectUploadsTable>;
  stored: StoredObject;
}

/**
 * Records receipts for uploads whose time of arrival is unknown. If something else arrived at the same path after they
 * were announced, that counts as the later upload.
 */
async function recordArrived(
  { db, clock }: DatabaseContext,
  storeId: string,
  arrived: readonly Arrived[],
): Promise<void> {
  const latest = await latestAt(
    db,
    storeId,
    arrived.map(({ row }) => row.path),
  );
  const isOvertaken = ({ row }: Arrived) => (latest.get(row.path) ?? 0) > row.number;
  const receiptOf = ({ row, stored }: Arrived) => ({ storeId, path: row.path, ...stored });
  await insertReceipts({ db, clock }, arrived.filter((one) => !isOvertaken(one)).map(receiptOf));
  for (const one of arrived.filter(isOvertaken)) {
    const { storeId: store_id, ...receipt } = receiptOf(one);
    await db
      .insertInto('upload_receipts')
      .values({ store_id, ...receipt, number: one.row.number, received_at: clock() })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  const ids = arrived.map(({ row }) => row.id);
  await db.updateTable('direct_uploads').set({ arrived: 1 }).where('id', 'in', ids).execute();
}

async function latestAt(
  db: Database,
  storeId: string,
  paths: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('upload_receipts')
    .select((eb) => ['path', eb.fn.max('number').as('number')])
    .where('store_id', '=', storeId)
    .where('path', 'in', paths)
    .groupBy('path')
    .execute();
  return new Map(rows.map(({ path, number }) => [path, Number(number)]));
}

function uploadOf({ id, store_id, path, size, sha256 }: Selectable<DirectUploadsTable>): DirectUpload {
  return { uploadId: id, storeId: store_id, path, size, sha256 };
}
