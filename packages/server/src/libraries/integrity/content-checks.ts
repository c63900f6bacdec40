import { ServiceError } from '../../errors.ts';
import { contentsOf } from '../../objects/contents.ts';
import type { StoredObject } from '../../objects/store.ts';
import type { Parts } from '../../parts.ts';
import { damagedObjects, forgetDamaged, noteDamaged } from './damaged-objects.ts';

export type CheckParts = Pick<Parts, 'db' | 'objects' | 'clock' | 'log' | 'metrics'>;

/** How long a request waits until everything is read, in milliseconds. */
const MAX_WAIT = 20_000;
/** Seconds after which a client may ask again. What was read by then is not read again. */
const RETRY_AFTER = 2;

/** For how long an object that was read counts as whole, in milliseconds, and of how many this is known. */
const VERDICT_LIFETIME = 10 * 60_000;
const MAX_VERDICTS = 200_000;

/** What is read in one go, unless a single object is larger. */
const BATCH_BYTES = 64 * 1024 * 1024;
const BATCH_OBJECTS = 1_000;

/** Says which objects of a store are still what they are named for. */
export class ContentChecks {
  readonly #parts: CheckParts;
  readonly #maxWait: number;
  /** When an object was found whole, on a clock that only goes forward. The oldest come first. */
  readonly #intact = new Map<string, number>();
  readonly #reading = new Map<string, Promise<void>>();

  constructor(parts: CheckParts, { maxWait = MAX_WAIT }: { maxWait?: number } = {}) {
    this.#parts = parts;
    this.#maxWait = maxWait;
  }

  /**
   * The hashes of those objects that are missing, have another size or are known to be damaged. That costs little, and
   * finds no damage that nobody has seen.
   */
  async knownLost(storeId: string, objects: readonly StoredObject[]): Promise<Set<string>> {
    const stored = await this.#stored(storeId, objects);
    const damaged = await damagedObjects(this.#parts.db, storeId);
    const lost = objects.filter(({ sha256 }) => !stored.has(sha256) || damaged.has(sha256));
    return new Set(lost.map(({ sha256 }) => sha256));
  }

  /** As `knownLost`, and reads every object; see `damaged`. */
  async lost(storeId: string, objects: readonly StoredObject[]): Promise<Set<string>> {
    const stored = await this.#stored(storeId, objects);
    const damaged = await this.damaged(
      storeId,
      objects.filter(({ sha256 }) => stored.has(sha256)),
    );
    const lost = objects.filter(({ sha256 }) => !stored.has(sha256) || damaged.has(sha256));
    return new Set(lost.map(({ sha256 }) => sha256));
  }

  /**
   * The hashes of those objects that do not hold what they are named for. Reads them, off the event loop, and notes what
   * is damaged. Throws `unavailable` where there is more to read than a request may wait for: the reading goes on, and
   * who asks again finds it done.
   */
  async damaged(storeId: string, objects: readonly StoredObject[]): Promise<Set<string>> {
    const known = await damagedObjects(this.#parts.db, storeId);
    const unread = objects.filter(({ sha256 }) => known.has(sha256) || !this.#isKnownIntact(storeId, sha256));
    if (unread.length === 0) return new Set();
    const batches = [...inBatches(unread)];
    await this.#inTime(Promise.all(batches.map((batch) => this.#readOnce(storeId, batch))));
    return damagedObjects(this.#parts.db, storeId);
  }

  async #stored(storeId: string, contents: readonly StoredObject[]): Promise<Set<string>> {
    const { objects, log, metrics } = this.#parts;
    const absent = new Set(await objects.absent(storeId, contentsOf(contents)));
    const missing = contents.filter((_, at) => absent.has(at));
    const stored = new Set(contents.flatMap(({ sha256 }, at) => (absent.has(at) ? [] : [sha256])));
    if (missing.length === 0) return stored;
    const some = missing.slice(0, 10).map(({ sha256 }) => sha256);
    log.error({ storeId, objects: some, total: missing.length }, 'stored objects are missing');
    for (const _ of missing) metrics.damageFound('file');
    return stored;
  }

  #isKnownIntact(storeId: string, sha256: string): boolean {
    const at = this.#intact.get(`${storeId}/${sha256}`);
    return at !== undefined && performance.now() - at < VERDICT_LIFETIME;
  }

  /** Requests that ask for the same at the same time share one reading. */
  async #readOnce(storeId: string, batch: readonly StoredObject[]): Promise<void> {
    const keyOf = ({ sha256 }: StoredObject) => `${storeId}/${sha256}`;
    const underWay = new Set(batch.flatMap((object) => this.#reading.get(keyOf(object)) ?? []));
    const rest = batch.filter((object) => !this.#reading.has(keyOf(object)));
    if (rest.length > 0) {
      const reading = this.#read(storeId, rest).finally(() => {
        for (const object of rest) this.#reading.delete(keyOf(object));
      });
      for (const object of rest) this.#reading.set(keyOf(object), reading);
      underWay.add(reading);
    }
    await Promise.all(underWay);
  }

  async #read(storeId: string, batch: readonly StoredObject[]): Promise<void> {
    const { objects, db, log, metrics } = this.#parts;
    const hashes = batch.map(({ sha256 }) => sha256);
    const intact = await objects.intact(storeId, batch);
    const before = await damagedObjects(db, storeId);
    const damaged = hashes.filter((sha256) => !intact.has(sha256));
    const fresh = damaged.filter((sha256) => !before.has(sha256));
    if (fresh.length > 0) {
      log.error({ storeId, objects: fresh.slice(0, 10), total: fresh.length }, 'stored objects are damaged');
      for (const _ of fresh) metrics.damageFound('file');
      await noteDamaged(this.#parts, storeId, fresh);
    }
    // Somebody put it right behind the service's back.
    await forgetDamaged(
      this.#parts,
      storeId,
      hashes.filter((sha256) => intact.has(sha256) && before.has(sha256)),
    );
    for (const sha256 of damaged) this.#intact.delete(`${storeId}/${sha256}`);
    for (const sha256 of intact) this.#remember(`${storeId}/${sha256}`);
  }

  #remember(key: string): void {
    this.#intact.delete(key);
    this.#intact.set(key, performance.now());
    const [oldest] = this.#intact.keys();
    if (this.#intact.size > MAX_VERDICTS && oldest !== undefined) this.#intact.delete(oldest);
  }

  async #inTime(reading: Promise<unknown>): Promise<void> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(takesLong()), this.#maxWait);
    // Whoever asks again hears what became of it.
    reading.catch(() => {});
    try {
      await Promise.race([reading, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function* inBatches(objects: readonly StoredObject[]): Generator<StoredObject[]> {
  let batch: StoredObject[] = [];
  let bytes = 0;
  for (const object of objects) {
    const isFull = batch.length === BATCH_OBJECTS || bytes + object.size > BATCH_BYTES;
    if (isFull && batch.length > 0) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(object);
    bytes += object.size;
  }
  if (batch.length > 0) yield batch;
}

function takesLong(): ServiceError {
  return new ServiceError('unavailable', 'The service is still reading what it stores. Ask again.', {
    retryAfter: RETRY_AFTER,
  });
}
