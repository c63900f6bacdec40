import type { Insertable } from 'kysely';
import { withoutSync } from '../../database/durability.ts';
import type { Database, UploadReceiptsTable } from '../../database/schema.ts';
import type { UploadsReceived } from '../../objects/store.ts';
import type { Parts } from '../../parts.ts';

export type Receipt = Insertable<UploadReceiptsTable>;

/** Rows of one statement: few enough that it holds up nobody else. */
const ROWS_AT_ONCE = 200;

/** Notes what arrived at which path; the same bytes at the same path again get the newer time. */
export async function insertReceipts(db: Database, receipts: readonly Receipt[]): Promise<void> {
  const unsynced = withoutSync(db);
  for (let at = 0; at < receipts.length; at += ROWS_AT_ONCE) {
    // What makes the last rows durable makes those before durable as well.
    const isLast = at + ROWS_AT_ONCE >= receipts.length;
    await (isLast ? db : unsynced)
      .insertInto('upload_receipts')
      .values(receipts.slice(at, at + ROWS_AT_ONCE))
      .onConflict((conflict) =>
        conflict.columns(['store_id', 'path', 'sha256']).doUpdateSet((eb) => ({
          size: eb.ref('excluded.size'),
          received_at: eb.ref('excluded.received_at'),
        })),
      )
      .execute();
  }
}

/**
 * Notes uploads as they arrive. All that come in while a commit runs share the next one, so thousands of small files
 * cost few commits, and as the bytes themselves are synced by a register only, so are the receipts. Each call resolves
 * once its receipt is committed; as many wait as there are open uploads.
 */
export function createReceiptRecorder({ db, clock }: Pick<Parts, 'db' | 'clock'>): UploadsReceived {
  const receipts = withoutSync(db);
  let waiting: Receipt[] = [];
  let next: Promise<void> | null = null;
  let running: Promise<unknown> = Promise.resolve();
  let lastTime = 0;

  return function record(received) {
    for (const { upload, stored } of received) {
      const { storeId, path } = upload;
      waiting.push({ store_id: storeId, path, ...stored, received_at: 0 });
    }
    if (!next) {
      next = running.then(() => {
        const batch = waiting;
        waiting = [];
        next = null;
        return insertReceipts(receipts, inOrder(batch));
      });
      running = next.catch(() => {});
    }
    return next;
  };

  /** The later of two receipts of one path has the later time, and no row is there twice. */
  function inOrder(batch: readonly Receipt[]): Receipt[] {
    const start = Math.max(clock(), lastTime + 1);
    const latest = new Map<string, number>();
    const rows = new Map<string, Receipt>();
    for (const receipt of batch) {
      const file = `${receipt.store_id}/${receipt.path}`;
      const before = latest.get(file);
      const received_at = before === undefined ? start : before + 1;
      latest.set(file, received_at);
      lastTime = Math.max(lastTime, received_at);
      rows.set(`${receipt.sha256}/${file}`, { ...receipt, received_at });
    }
    return [...rows.values()];
  }
}
