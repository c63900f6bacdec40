import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { DatabaseContext, MaintenanceContext } from '../../context.ts';
import type { Database } from '../../database/schema.ts';
import type { DirectUploadsTable } from '../../database/tables/uploads.ts';
import type { AnnouncedUpload, DirectUpload, StoredObject } from '../../objects/store.ts';
import { insertReceipts } from './receipts.ts';

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
  for (const some of inBatches(rows)) await db.insertInto('direct_uploads').values(some).execute();
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
  for (const some of inBatches(arrived)) {
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

/** Returns those of the given hashes that were uploaded to a store, or announced, within the last day. */
export async function recentlyUploaded(
  db: Database,
  storeId: string,
  hashes: readonly string[],
): Promise<Set<string>> {
  const found = new Set<string>();
  for (const some of inBatches(hashes)) {
    for (const table of ['upload_receipts', 'direct_uploads'] as const) {
      const rows = await db
        .selectFrom(table)
        .select('sha256')
        .where('store_id', '=', storeId)
        .where('sha256', 'in', some)
        .execute();
      for (const { sha256 } of rows) if (sha256 !== null) found.add(sha256);
    }
  }
  return found;
}

/**
 * Returns the bytes that were uploaded to a store and are not registered, or that may be in transit. For object stores
 * without a staging area to measure.
 */
export async function announcedBytes(db: Database, storeId: string): Promise<number> {
  const { received } = await db
    .selectFrom('upload_receipts')
    .select((eb) => eb.fn.sum<number | string | null>('size').as('received'))
    .where('store_id', '=', storeId)
    .where('number', '>', (eb) =>
      eb.fn.coalesce(
        eb.selectFrom('libraries').select('uploads_settled').where('store_id', '=', storeId).limit(1),
        eb.lit(0),
      ),
    )
    .executeTakeFirstOrThrow();
  const { direct } = await db
    .selectFrom('direct_uploads')
    .select((eb) => eb.fn.sum<number | string | null>('size').as('direct'))
    .where('store_id', '=', storeId)
    .where('arrived', '=', 0)
    .executeTakeFirstOrThrow();
  const { inParts } = await db
    .selectFrom('multipart_uploads')
    .select((eb) => eb.fn.sum<number | string | null>('size').as('inParts'))
    .where('store_id', '=', storeId)
    .where('completed_sha256', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(received ?? 0) + Number(direct ?? 0) + Number(inParts ?? 0);
}

/** Whether an upload URL for this store may still be used, or its bytes may be in transit. */
export async function mayStillArrive(db: Database, storeId: string): Promise<boolean> {
  const row = await db
    .selectFrom('direct_uploads')
    .select('id')
    .where('store_id', '=', storeId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

function uploadOf({ id, store_id, path, size, sha256 }: Selectable<DirectUploadsTable>): DirectUpload {
  return { uploadId: id, storeId: store_id, path, size, sha256 };
}

function* inBatches<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) yield rows.slice(at, at + ROWS_AT_ONCE);
}
