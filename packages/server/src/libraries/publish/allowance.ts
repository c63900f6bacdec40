import { setTimeout } from 'node:timers/promises';
import type { Database } from '../../database/schema.ts';
import { ServiceError } from '../../errors.ts';
import type { ExpectedBytes } from '../../objects/store.ts';

/** Measuring is expensive: after each measurement it pauses for this many times as long as it took. */
const REST = 4;
const MIB = 1024 * 1024;

/** Bytes that an account is sending now, and all that it has sent or given up sending since the process started. */
interface Sending {
  expected: number;
  settled: number;
}

/**
 * Bounds each account's unregistered uploads over all libraries. Uploads are counted as they arrive. Registers, purges
 * and expiry reduce the real amount, so the count is corrected, but only when it reaches the bound.
 */
export class UploadAllowance {
  readonly #db: Database;
  readonly #limit: number | null;
  readonly #measure: (storeId: string) => Promise<number>;
  readonly #sending = new Map<string, Sending>();
  readonly #measuring = new Map<string, Promise<void>>();

  /** `limit` is in bytes, null for none; `measure` returns the bytes of a store that are not registered. */
  constructor(db: Database, limit: number | null, measure: (storeId: string) => Promise<number>) {
    this.#db = db;
    this.#limit = limit;
    this.#measure = measure;
  }

  /** Throws `storage_full` if the account may not send another `bytes` bytes. */
  async require(account: string, bytes: number): Promise<void> {
    const sending = await this.#claim(account, bytes);
    sending.expected -= bytes;
  }

  /** As `require`, but counts the bytes as being sent until the result is disposed of. */
  async reserve(uploads: readonly ExpectedBytes[]): Promise<Disposable> {
    const claims: [Sending, number][] = [];
    const settle = () => {
      for (const [sending, bytes] of claims.splice(0)) {
        sending.expected -= bytes;
        sending.settled += bytes;
      }
    };
    try {
      for (const [account, bytes] of bytesByAccount(uploads)) {
        claims.push([await this.#claim(account, bytes), bytes]);
      }
    } catch (error) {
      settle();
      throw error;
    }
    return { [Symbol.dispose]: settle };
  }

  async #claim(account: string, bytes: number): Promise<Sending> {
    const sending = this.#sending.get(account) ?? { expected: 0, settled: 0 };
    this.#sending.set(account, sending);
    if (await this.#tryToClaim(account, sending, bytes)) return sending;
    await this.#correctCount(account);
    if (await this.#tryToClaim(account, sending, bytes)) return sending;
    throw tooMuch(this.#limit ?? 0);
  }

  async #tryToClaim(account: string, sending: Sending, bytes: number): Promise<boolean> {
    const settledBefore = sending.settled;
    const counted = this.#limit === null ? 0 : await this.#countedFor(account);
    // The count may lack bytes that settled while it was read.
    const total = counted + sending.expected + sending.settled - settledBefore;
    if (bytes > 0 && this.#limit !== null && total + bytes > this.#limit) return false;
    sending.expected += bytes;
    return true;
  }

  async #countedFor(account: string): Promise<number> {
    const row = await this.#db
      .selectFrom('unregistered_bytes')
      .select((eb) => eb.fn.sum<number | string | null>('bytes').as('bytes'))
      .where('account_id', '=', account)
      .executeTakeFirst();
    return Number(row?.bytes ?? 0);
  }

  /** Counts bytes that have arrived. */
  async add(uploads: readonly ExpectedBytes[]): Promise<void> {
    if (this.#limit === null) return;
    for (const [account, sent] of Map.groupBy(uploads, ({ account }) => account)) {
      if (account === undefined) continue;
      for (const [storeId, files] of Map.groupBy(sent, ({ storeId }) => storeId)) {
        await this.#count(account, storeId, sizeOf(files));
      }
    }
  }

  async #count(account_id: string, store_id: string, bytes: number): Promise<void> {
    await this.#db
      .insertInto('unregistered_bytes')
      .values({ account_id, store_id, bytes })
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'store_id'])
          .doUpdateSet((eb) => ({ bytes: eb('unregistered_bytes.bytes', '+', eb.ref('excluded.bytes')) })),
      )
      .execute();
  }

  /** Corrects the count with a measurement that starts after the call. Each account has one measurement at a time. */
  async #correctCount(account: string): Promise<void> {
    await this.#measuring.get(account);
    let measurement = this.#measuring.get(account);
    if (!measurement) {
      measurement = this.#measureAll(account).finally(() => this.#measuring.delete(account));
      this.#measuring.set(account, measurement);
    }
    await measurement;
  }

  async #measureAll(account: string): Promise<void> {
    const since = performance.now();
    const rows = await this.#db
      .selectFrom('unregistered_bytes')
      .selectAll()
      .where('account_id', '=', account)
      .execute();
    for (const { store_id, bytes } of rows) {
      const measured = await this.#measure(store_id);
      if (measured < bytes) await this.#lower(account, store_id, bytes - measured);
    }
    await setTimeout(REST * (performance.now() - since), undefined, { ref: false });
  }

  async #lower(account: string, storeId: string, by: number): Promise<void> {
    await this.#db
      .updateTable('unregistered_bytes')
      .set((eb) => ({ bytes: eb('bytes', '-', by) }))
      .where('account_id', '=', account)
      .where('store_id', '=', storeId)
      .execute();
    await this.#db
      .deleteFrom('unregistered_bytes')
      .where('account_id', '=', account)
      .where('store_id', '=', storeId)
      .where('bytes', '<=', 0)
      .execute();
  }
}

function bytesByAccount(uploads: readonly ExpectedBytes[]): Map<string, number> {
  const bytes = new Map<string, number>();
  for (const { account, size } of uploads) {
    if (account !== undefined) bytes.set(account, (bytes.get(account) ?? 0) + size);
  }
  return bytes;
}

function sizeOf(files: readonly { size: number }[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

function tooMuch(limit: number): ServiceError {
  return new ServiceError(
    'storage_full',
    `An account may hold at most ${Math.ceil(limit / MIB)} MiB of unregistered uploads. ` +
      'Register what you have uploaded, in several steps if need be, or wait a day until it is deleted.',
    { limit },
  );
}
