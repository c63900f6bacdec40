import type { DatabaseContext } from '../../context.ts';
import { libraryPurged } from '../../errors.ts';
import type { UploadIntake } from '../../objects/store.ts';
import type { UploadAllowance } from './allowance.ts';
import { createReceiptRecorder } from './receive.ts';

/** Admits uploads only to existing libraries and within each account's allowance, and records a receipt for each. */
export function createIntake({ db, clock }: DatabaseContext, allowance: UploadAllowance): UploadIntake {
  const record = createReceiptRecorder({ db, clock });

  async function goneAmong(uploads: Iterable<{ storeId: string }>): Promise<Set<string>> {
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
      if ((await goneAmong(uploads)).size > 0) throw libraryPurged();
      return allowance.reserve(uploads);
    },
    async received(received) {
      const gone = await goneAmong(received.map(({ upload }) => upload));
      const kept = received.filter(({ upload }) => !gone.has(upload.storeId));
      if (kept.length > 0) {
        await record(kept);
        await allowance.add(kept.map(({ upload }) => upload));
      }
      return gone;
    },
    partReceived: (part) => allowance.add([part]),
  };
}
