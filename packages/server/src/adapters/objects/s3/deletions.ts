import { hash, randomBytes } from 'node:crypto';
import { forEachBounded, KeyedMutex } from '@bindery/concurrency';
import { DAY } from '@bindery/contract/wire';
import { unlessMissing } from '../../../objects/missing.ts';
import type { ConfirmDeletion, ObjectAddress, Reclaimed } from '../../../objects/store.ts';
import type { Bucket } from './bucket.ts';
import { type Keys, splitKey } from './keys.ts';

const CONCURRENCY = 16;

/** A copy of a former object, made by one deletion. */
interface Withdrawn extends ObjectAddress {
  deletion: string;
  key: string;
  size: number;
}

/** Used in place of a hash: the deletion has deleted all objects that it copied, and deletes no more. */
const SETTLED = 'settled';

/**
 * Deletes objects in a way that can be reverted until the last moment, in a store that supports neither renames nor
 * conditional deletes: each object is copied to another key before it is deleted, and the copy is deleted last.
 *
 * A process that was suspended between copying and deleting might delete an object that was stored again meanwhile, and
 * then needs its copies to put it back. Other processes therefore leave these alone until a marker records that the
 * deletes are done; if there is no marker, for a day.
 */
export class Deletions {
  readonly #bucket: Bucket;
  readonly #keys: Keys;
  readonly #clock: () => number;
  /** Serializes this process's work on the copies of a store, so that everything is counted once. */
  readonly #turns = new KeyedMutex();

  constructor(bucket: Bucket, keys: Keys, clock: () => number) {
    this.#bucket = bucket;
    this.#keys = keys;
    this.#clock = clock;
  }

  async delete(storeId: string, hashes: readonly string[], confirm: ConfirmDeletion): Promise<Reclaimed> {
    const wanted = [...new Set(hashes)];
    const deletion = randomBytes(6).toString('hex');
    const own: Withdrawn[] = [];
    let confirmed: ReadonlySet<string> = new Set();
    try {
      await this.#turns.run(storeId, () => this.#withdraw(storeId, deletion, wanted, own));
      // Also deletes what an interrupted deletion left, but only copies present before `confirm` is called.
      const asked = new Set(wanted);
      const aside = (await this.#settled(storeId)).filter(({ sha256 }) => asked.has(sha256));
      confirmed = await confirm(wanted);
      return await this.#turns.run(storeId, () =>
        this.#remove(aside.filter(({ sha256 }) => confirmed.has(sha256))),
      );
    } finally {
      await this.#putBack(own.filter(({ sha256 }) => !confirmed.has(sha256)));
      await this.#bucket.delete([this.#key({ storeId, deletion, sha256: SETTLED })]);
    }
  }

  async restoreInterrupted(isDoomed: (object: ObjectAddress) => Promise<boolean>): Promise<void> {
    for (const withdrawn of await this.#settled()) {
      if (!(await isDoomed(withdrawn))) await this.#putBack([withdrawn]);
    }
  }

  /** Copies objects and deletes the originals. Adds to `own` the copies to put back if anything fails. */
  async #withdraw(
    storeId: string,
    deletion: string,
    hashes: readonly string[],
    own: Withdrawn[],
  ): Promise<void> {
    await forEachBounded(hashes, { concurrency: CONCURRENCY }, async (sha256) => {
      const from = this.#keys.object({ storeId, sha256 });
      const size = await this.#bucket.size(from);
      if (size === null) return;
      const key = this.#key({ storeId, deletion, sha256 });
      const copied = await unlessMissing(this.#bucket.copy(from, key, size).then(() => true));
      if (copied) own.push({ storeId, sha256, deletion, key, size });
    });
    if (own.length === 0) return;
    await this.#bucket.delete(own.map((object) => this.#keys.object(object)));
    await this.#bucket.put(this.#key({ storeId, deletion, sha256: SETTLED }), 0, EMPTY, Buffer.alloc(0));
  }

  /** Returns the copies, of one store or of all, that their deletions no longer need. */
  async #settled(storeId?: string): Promise<Withdrawn[]> {
    const area = this.#keys.area('withdrawn');
    const before = this.#clock() - DAY;
    const settled = new Set<string>();
    const copies: (Withdrawn & { storedAt: number })[] = [];
    for await (const { key, size, storedAt } of this.#bucket.list(this.#keys.area('withdrawn', storeId))) {
      const parts = splitKey(key, area);
      const [deletion = '', sha256 = ''] = parts.name.split('-');
      if (sha256 === SETTLED) settled.add(deletion);
      else copies.push({ storeId: parts.storeId, deletion, sha256, key, size, storedAt });
    }
    return copies.filter(({ deletion, storedAt }) => settled.has(deletion) || storedAt < before);
  }

  async #remove(aside: readonly Withdrawn[]): Promise<Reclaimed> {
    const there: Withdrawn[] = [];
    await forEachBounded(aside, { concurrency: CONCURRENCY }, async (object) => {
      if ((await this.#bucket.size(object.key)) !== null) there.push(object);
    });
    await this.#bucket.delete(there.map(({ key }) => key));
    return { objects: there.length, bytes: there.reduce((sum, { size }) => sum + size, 0) };
  }

  /** Restores objects from copies. If an object was stored again meanwhile, that one stays. */
  async #putBack(aside: readonly Withdrawn[]): Promise<void> {
    await forEachBounded(aside, { concurrency: CONCURRENCY }, async ({ key, size, storeId, sha256 }) => {
      const to = this.#keys.object({ storeId, sha256 });
      if ((await this.#bucket.size(to)) === null) await unlessMissing(this.#bucket.copy(key, to, size));
      await this.#bucket.delete([key]);
    });
  }

  #key({ storeId, deletion, sha256 }: Pick<Withdrawn, 'storeId' | 'deletion' | 'sha256'>): string {
    return `${this.#keys.area('withdrawn', storeId)}${deletion}-${sha256}`;
  }
}

const EMPTY = hash('sha256', '');
