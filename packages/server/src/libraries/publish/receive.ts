import type { Insertable } from 'kysely';
import type { DatabaseContext } from '../../context.ts';
import type { Database } from '../../database/schema.ts';
import type { UploadReceiptsTable } from '../../database/tables/libraries.ts';
import { libraryPurged } from '../../errors.ts';
import type { ReceivedUpload, UploadIntake } from '../../objects/store.ts';
import { addUnregistered, lastSettled } from '../../objects/unregistered.ts';
import { isManifest } from '../../objects/uploads.ts';
import type { UploadAllowance } from './allowance.ts';

/** Admits uploads only to existing libraries and within each account's allowance, and records a receipt for each. */
export function createIntake({ db, clock }: DatabaseContext, allowance: UploadAllowance): UploadIntake {
  const record = createReceiptRecorder({ db, clock });

  async function purgedAmong(uploads: Iterable<{ storeId: string }>): Promise<Set<string>> {
    const stores = new Set(Array.from(uploads, ({ storeId }) => storeId));
    const rows = await db
      .selectFrom('library_names')
      .select('store_id')
      .where('store_id', 'in', [...stores])
      .execute();
    for (const { store_id } of rows) stores.delete(store_id);
    return stores;
  }

  return {
    async reserve(uploads) {
      if ((await purgedAmong(uploads)).size > 0) throw libraryPurged();
      return allowance.reserve(uploads);
    },
    async received(received) {
      const purged = await purgedAmong(received.map(({ upload }) => upload));
      const kept = received.filter(({ upload }) => !purged.has(upload.storeId));
      if (kept.length > 0) {
        await record(kept);
        await allowance.add(kept.map(({ upload }) => upload));
      }
      return purged;
    },
    partReceived: (part) => allowance.add([part]),
  };
}

/** Bytes that arrived at a path. */
interface ReceivedFile {
  storeId: string;
  path: string;
  sha256: string;
  size: number;
  /** It was stored already, and is not sent. */
  isPresent?: boolean;
}

/** Rows per statement: few enough not to delay others. */
const ROWS_AT_ONCE = 200;

/** Records what arrived at which path, in the given order. The same bytes at the same path count as a newer upload. */
export async function insertReceipts(
  { db, clock }: DatabaseContext,
  received: readonly ReceivedFile[],
): Promise<void> {
  for (let at = 0; at < received.length; at += ROWS_AT_ONCE) {
    await insertNumbered(db, received.slice(at, at + ROWS_AT_ONCE), clock());
  }
}

/**
 * Gives each receipt the next number of its store. The store's row stays locked until the transaction ends, so numbers
 * become visible in order across processes. A purged store gets no receipts.
 */
async function insertNumbered(db: Database, received: readonly ReceivedFile[], now: number): Promise<void> {
  const byStore = Map.groupBy(received, ({ storeId }) => storeId);
  await inTransaction(db, async (trx) => {
    const receipts: Insertable<UploadReceiptsTable>[] = [];
    // In the same order everywhere, to prevent deadlocks.
    for (const storeId of [...byStore.keys()].sort()) {
      const files = byStore.get(storeId) ?? [];
      const last = await takeNumbers(trx, storeId, files.length);
      if (last === null) continue;
      const distinct = new Map(
        files.map((file, at) => [keyOf(file), { ...file, number: last - files.length + 1 + at }]),
      );
      receipts.push(...(await countReceipts(trx, storeId, [...distinct.values()], now)));
    }
    if (receipts.length === 0) return;
    await trx
      .insertInto('upload_receipts')
      .values(receipts)
      .onConflict((conflict) =>
        conflict.columns(['store_id', 'path', 'sha256']).doUpdateSet((eb) => ({
          size: eb.ref('excluded.size'),
          number: eb.ref('excluded.number'),
          received_at: eb.ref('excluded.received_at'),
          counted: eb.ref('excluded.counted'),
        })),
      )
      .execute();
  });
}

/** Returns the receipts of what was received, and adds what they count to the sums of the store, whose row is held. */
async function countReceipts(
  trx: Database,
  storeId: string,
  received: readonly (ReceivedFile & { number: number })[],
  now: number,
): Promise<Insertable<UploadReceiptsTable>[]> {
  const settled = await lastSettled(trx, storeId);
  const earlier = await trx
    .selectFrom('upload_receipts')
    .select(['path', 'sha256', 'counted', 'number'])
    .where('store_id', '=', storeId)
    .where(
      'path',
      'in',
      received.map(({ path }) => path),
    )
    .execute();
  const counted = new Map(
    earlier.filter(({ number }) => number > settled).map((receipt) => [keyOf(receipt), receipt.counted]),
  );
  const added = { files: 0, bytes: 0 };
  const receipts = received.map(({ isPresent = false, ...file }) => {
    let counts = counted.get(keyOf(file)) ?? null;
    if (counts === null && !isPresent && !isManifest(file.path)) {
      counts = file.size;
      added.files += 1;
      added.bytes += file.size;
    }
    const { path, sha256, size, number } = file;
    return { store_id: storeId, path, sha256, size, number, received_at: now, counted: counts };
  });
  await addUnregistered(trx, storeId, added);
  return receipts;
}

function keyOf({ path, sha256 }: Pick<ReceivedFile, 'path' | 'sha256'>): string {
  return `${sha256}/${path}`;
}

/** Runs `work` in the caller's transaction, if there is one, else in its own. */
function inTransaction(db: Database, work: (trx: Database) => Promise<void>): Promise<void> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

/** Takes `count` numbers and returns the last of them; null if the store no longer belongs to a library. */
async function takeNumbers(trx: Database, storeId: string, count: number): Promise<number | null> {
  const row = await trx
    .updateTable('library_names')
    .set((eb) => ({ last_upload: eb('last_upload', '+', count) }))
    .where('store_id', '=', storeId)
    .returning('last_upload')
    .executeTakeFirst();
  return row?.last_upload ?? null;
}

/**
 * Returns a function that records uploads as they arrive. All that arrive during a commit share the next one, so that
 * thousands of small files cost few commits. Each call resolves once its receipts are committed; at most as many calls wait as there are open uploads.
 */
function createReceiptRecorder(
  context: DatabaseContext,
): (received: readonly ReceivedUpload[]) => Promise<void> {
  let waiting: ReceivedFile[] = [];
  let next: Promise<void> | null = null;
  let running: Promise<unknown> = Promise.resolve();

  return function record(received) {
    for (const { upload, stored } of received) {
      const { storeId, path } = upload;
      waiting.push({ storeId, path, ...stored });
    }
    if (!next) {
      next = running.then(() => {
        const batch = waiting;
        waiting = [];
        next = null;
        return insertReceipts(context, batch);
      });
      running = next.catch(() => {});
    }
    return next;
  };
}
