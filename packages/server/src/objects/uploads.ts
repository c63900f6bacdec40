import { arrivingChunks, chunks } from '@bindery/concurrency';
import { LEGACY_MANIFEST_PATH, MANIFEST_PATH } from '@bindery/contract';
import { type Selectable, sql } from 'kysely';
import type { MaintenanceContext } from '../context.ts';
import { deleteBefore } from '../database/queries.ts';
import type { Database } from '../database/schema.ts';
import type { UploadReceiptsTable } from '../database/tables/libraries.ts';
import { nextTurn, turnIsOver } from '../process/turns.ts';
import type { StoredArtifact } from '../revision/encode-index.ts';
import { lockStore } from './library-store.ts';
import { deleteOldLeases } from './retention/doomed-objects.ts';
import type { Reclaimed } from './store.ts';
import { addUnregistered, lastSettled } from './unregistered.ts';

type Receipt = Pick<Selectable<UploadReceiptsTable>, 'path' | 'sha256' | 'size' | 'number'>;
type Store = { db: Database; storeId: string };

/** Rows per statement: few enough not to delay other requests. */
const ROWS_AT_ONCE = 1_000;
const HASHES_AT_ONCE = 200;

/** How long what was uploaded and not registered is kept, in milliseconds. */
export const UPLOAD_LIFETIME = 24 * 60 * 60 * 1_000;

/**
 * The path at which an upload for a proposal is received. No file has such a path, so a register never takes it for an
 * upload of whoever registers.
 */
export function proposedPath(path: string): string {
  return PROPOSED + path;
}

export function isProposed(path: string): boolean {
  return path.startsWith(PROPOSED);
}

/** The path that the client has named. */
export function namedPath(path: string): string {
  return isProposed(path) ? path.slice(PROPOSED.length) : path;
}

const PROPOSED = '/proposed/';

const MANIFESTS: readonly string[] = [MANIFEST_PATH, LEGACY_MANIFEST_PATH, proposedPath(MANIFEST_PATH)];

export function isManifest(path: string): boolean {
  return MANIFESTS.includes(path);
}

/**
 * Returns the number of a store's last upload. Numbers follow the order of commits, so receipts read after this include
 * all up to it.
 */
export async function lastUpload({ db, storeId }: Store): Promise<number> {
  const row = await db
    .selectFrom('library_names')
    .select('last_upload')
    .where('store_id', '=', storeId)
    .executeTakeFirst();
  return row?.last_upload ?? 0;
}

/**
 * Returns the latest platform artifact for each path uploaded after `since`. `isArtifact` distinguishes them from
 * files.
 */
export async function artifactsReceived(
  store: Store,
  since: number,
  isArtifact: (path: string) => boolean,
): Promise<StoredArtifact[]> {
  const latest = new Map<string, Receipt>();
  for await (const receipt of receiptsOf(store)) {
    if (receipt.number <= since || !isArtifact(receipt.path)) continue;
    const before = latest.get(receipt.path);
    if (!before || before.number < receipt.number) latest.set(receipt.path, receipt);
  }
  return [...latest.values()].map(({ path, size, sha256 }) => ({ path, size, sha256 }));
}

/** Returns the paths of those files to whose path something else, and not they, was uploaded after `since`. */
export async function pathsMismatched(
  { db, storeId }: Store,
  since: number,
  files: readonly StoredArtifact[],
): Promise<Set<string>> {
  const receipts = await db
    .selectFrom('upload_receipts')
    .select(['path', 'sha256', 'size'])
    .where('store_id', '=', storeId)
    .where(
      'path',
      'in',
      files.map(({ path }) => path),
    )
    .where('number', '>', since)
    .execute();
  const paths = new Set(receipts.map(({ path }) => path));
  const keyOf = ({ path, sha256, size }: StoredArtifact) => `${sha256} ${size} ${path}`;
  const received = new Set(receipts.map(keyOf));
  for (const file of files) if (received.has(keyOf(file))) paths.delete(file.path);
  return paths;
}

/**
 * Deletes receipts that no register will need. Those of manifests stay for a day: a push that was overtaken may still
 * register its own manifest by hash.
 */
export async function deleteSettledReceipts(store: Store, until: number): Promise<void> {
  const { db, storeId } = store;
  for await (const paths of arrivingChunks(settledPaths(store, until), ROWS_AT_ONCE)) {
    await db
      .deleteFrom('upload_receipts')
      .where('store_id', '=', storeId)
      .where('path', 'in', paths)
      .where('number', '<=', until)
      .execute();
  }
}

async function* settledPaths(store: Store, until: number): AsyncGenerator<string> {
  for await (const { path, number } of receiptsOf(store)) {
    if (number <= until && !isManifest(path)) yield path;
  }
}

/** Yields all receipts of a store, reading them in pages by key. */
export async function* receiptsOf({ db, storeId }: Store): AsyncGenerator<Receipt> {
  let last: Receipt | undefined;
  do {
    const after = last;
    const rows: Receipt[] = await db
      .selectFrom('upload_receipts')
      .select(['path', 'sha256', 'size', 'number'])
      .where('store_id', '=', storeId)
      .$if(after !== undefined, (query) =>
        query.where((eb) =>
          eb(eb.refTuple('path', 'sha256'), '>', eb.tuple(after?.path ?? '', after?.sha256 ?? '')),
        ),
      )
      .orderBy('path')
      .orderBy('sha256')
      .limit(ROWS_AT_ONCE)
      .execute();
    yield* rows;
    if (turnIsOver()) await nextTurn();
    last = rows.length === ROWS_AT_ONCE ? rows.at(-1) : undefined;
  } while (last !== undefined);
}

/** Returns those of the files whose content was uploaded to their paths, or announced, within the last day. */
export async function recentlyUploadedAt(
  { db, storeId }: Store,
  files: readonly { path: string; sha256: string }[],
): Promise<Set<string>> {
  const found = new Set<string>();
  for (const some of chunks(files, HASHES_AT_ONCE)) {
    const hashes = new Set(some.map(({ sha256 }) => sha256));
    const received = await db
      .selectFrom('upload_receipts')
      .select('sha256')
      .where('store_id', '=', storeId)
      .where(
        'path',
        'in',
        some.map(({ path }) => path),
      )
      .execute();
    for (const { sha256 } of received) if (hashes.has(sha256)) found.add(sha256);
    await addAnnounced({ db, storeId }, [...hashes], found);
  }
  return found;
}

/**
 * Returns those of the given hashes that were uploaded to a store, or announced, within the last day. Reads all receipts
 * of the store, in pages.
 */
export async function recentlyUploaded(store: Store, hashes: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  if (hashes.length === 0) return found;
  const wanted = new Set(hashes);
  for await (const { sha256 } of receiptsOf(store)) if (wanted.has(sha256)) found.add(sha256);
  for (const some of chunks(hashes, HASHES_AT_ONCE)) await addAnnounced(store, some, found);
  return found;
}

async function addAnnounced(
  { db, storeId }: Store,
  hashes: readonly string[],
  found: Set<string>,
): Promise<void> {
  const rows = await db
    .selectFrom('direct_uploads')
    .select('sha256')
    .where('store_id', '=', storeId)
    .where('sha256', 'in', hashes)
    .execute();
  for (const { sha256 } of rows) if (sha256 !== null) found.add(sha256);
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

/**
 * Deletes uploads that were never registered: files and parts older than a day, then their rows. Can run at any time.
 */
export async function deleteAbandonedUploads({
  db,
  objects,
  clock,
}: Pick<MaintenanceContext, 'db' | 'objects' | 'clock'>): Promise<Reclaimed> {
  const before = clock() - UPLOAD_LIFETIME;
  const freed = await objects.deleteAbandoned(before);
  while ((await deleteOldReceipts(db, before)) === ROWS_AT_ONCE);
  await deleteBefore(db, 'multipart_uploads', { key: ['id'], time: 'expires_at' }, clock());
  await deleteBefore(db, 'direct_uploads', { key: ['id'], time: 'created_at' }, before);
  await deleteOldLeases(db, before);
  return freed;
}

/** Deletes some receipts from before a time, which no longer count; returns how many it found. */
async function deleteOldReceipts(db: Database, before: number): Promise<number> {
  const isOld = sql<boolean>`received_at < ${before} and not (${UNREGISTERED_MANIFEST})`;
  const found = await db
    .selectFrom('upload_receipts')
    .select(['store_id', 'path'])
    .where(isOld)
    .limit(ROWS_AT_ONCE)
    .execute();
  for (const [storeId, receipts] of Map.groupBy(found, ({ store_id }) => store_id)) {
    const paths = receipts.map(({ path }) => path);
    await db.transaction().execute(async (trx) => {
      await lockStore(trx, storeId);
      const settled = await lastSettled(trx, storeId);
      const deleted = await trx
        .deleteFrom('upload_receipts')
        .where('store_id', '=', storeId)
        .where('path', 'in', paths)
        .where(isOld)
        .returning(['counted', 'number'])
        .execute();
      const counted = deleted.filter(({ counted, number }) => counted !== null && number > settled);
      const bytes = counted.reduce((sum, receipt) => sum + (receipt.counted ?? 0), 0);
      await addUnregistered(trx, storeId, { files: -counted.length, bytes: -bytes });
    });
  }
  return found.length;
}

/**
 * Selects the receipt of the last manifest that was not registered. It is kept so that a register that comes late, or
 * after the clock jumped ahead, finds out that the manifest was deleted. Otherwise the library's current manifest would
 * be registered again as if nothing had been uploaded.
 */
const UNREGISTERED_MANIFEST = sql<boolean>`
  path in (${MANIFEST_PATH}, ${LEGACY_MANIFEST_PATH})
  and number = (select max(newer.number) from upload_receipts as newer
    where newer.store_id = upload_receipts.store_id and newer.path = upload_receipts.path)
  and exists (select 1 from libraries
    where libraries.store_id = upload_receipts.store_id and libraries.uploads_settled < upload_receipts.number)`;
