import { hash, randomBytes } from 'node:crypto';
import { forEachBounded } from '@bindery/concurrency';
import { unlessMissing } from '../../../objects/missing.ts';
import type { ConfirmDeletion, ObjectAddress, Reclaimed } from '../../../objects/store.ts';
import { KeyedMutex } from '../disk/keyed-mutex.ts';
import type { Bucket } from './bucket.ts';
import { type Keys, partsOf } from './keys.ts';

const CONCURRENCY = 16;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** A copy of what was an object, made by one deletion. */
interface Withdrawn extends ObjectAddress {
  deletion: string;
  key: string;
  size: number;
}

/** In place of a hash: the deletion has deleted all objects that it copied, and deletes no more. */
const SETTLED = 'settled';

/**
 * Deletes objects so that it can be taken back until the last moment, in a store that can neither rename nor delete on a
 * condition: each is copied under another name before it goes, and the copy goes last.
 *
 * A process that was stopped between copying and deleting may delete what was stored again meanwhile, and then needs its
 * copies to put it back. So others leave these alone until a mark says that it has deleted; without one, for a day.
 */
export class Deletions {
  readonly #bucket: Bucket;
  readonly #keys: Keys;
  readonly #clock: () => number;
  /** What this process moves of a store it moves in turn, so that it counts everything once. */
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
      // What an interrupted deletion left goes too; only what is there before `confirm` is asked.
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

  /** Adds to `own` what is to be put back if anything fails. */
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

  /** Copies of one store, or of all, that no deletion will need. */
  async #settled(storeId?: string): Promise<Withdrawn[]> {
    const area = this.#keys.area('withdrawn');
    const before = this.#clock() - DAY_MS;
    const settled = new Set<string>();
    const copies: (Withdrawn & { storedAt: number })[] = [];
    for await (const { key, size, storedAt } of this.#bucket.list(this.#keys.area('withdrawn', storeId))) {
      const parts = partsOf(key, area);
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

  /** Of an object that was stored again meanwhile, the one that is there stays. */
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
