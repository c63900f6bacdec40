import { withTimeout } from '@bindery/concurrency';
import type { MaintenanceContext } from '../../context.ts';
import { unavailable } from '../../errors.ts';
import { contentsOf, type StoredObject } from '../store.ts';
import { damagedObjects, readContents } from './damage.ts';
import type { ContentChecker } from './ports.ts';

/** How long a request waits for everything to be read, in milliseconds. */
const MAX_WAIT = 20_000;
/** Seconds after which a client may retry. Objects read by then are not read again. */
const RETRY_AFTER = 2;

/** How long a verdict on an object is valid, in milliseconds, and how many are kept. */
const VERDICT_LIFETIME = 10 * 60_000;
const MAX_VERDICTS = 200_000;

/** The limits of one batch. A single object can be larger. */
const BATCH_BYTES = 64 * 1024 * 1024;
const BATCH_OBJECTS = 1_000;

/** Checks which objects of a store still match their hashes. */
export class ContentChecks implements ContentChecker {
  readonly #context: MaintenanceContext;
  readonly #maxWait: number;
  /** The result of reading each object and when it was read, on a monotonic clock; oldest first. */
  readonly #verdicts = new Map<string, { intact: boolean; at: number }>();
  /**
   * Objects of requests that timed out before everything was read. The next request uses their verdicts instead of
   * reading them again.
   */
  readonly #unreported = new Set<string>();
  readonly #reading = new Map<string, Promise<void>>();

  constructor(context: MaintenanceContext, { maxWait = MAX_WAIT }: { maxWait?: number } = {}) {
    this.#context = context;
    this.#maxWait = maxWait;
  }

  async findKnownLost(storeId: string, objects: readonly StoredObject[]): Promise<Set<string>> {
    const stored = await this.#stored(storeId, objects);
    const damaged = await damagedObjects(this.#context.db, storeId);
    const lost = objects.filter(({ sha256 }) => !stored.has(sha256) || damaged.has(sha256));
    return new Set(lost.map(({ sha256 }) => sha256));
  }

  async findLost(storeId: string, objects: readonly StoredObject[]): Promise<Set<string>> {
    const stored = await this.#stored(storeId, objects);
    const there = objects.filter(({ sha256 }) => stored.has(sha256));
    const keys = there.map(({ sha256 }) => `${storeId}/${sha256}`);
    const unread = there.filter((_, at) => !this.#isUnreported(keys[at] ?? ''));
    try {
      await this.#readInTime(storeId, unread);
    } catch (error) {
      for (const key of keys) this.#keepUnreported(key);
      throw error;
    }
    for (const key of keys) this.#unreported.delete(key);
    const damaged = await damagedObjects(this.#context.db, storeId);
    const lost = objects.filter(({ sha256 }) => !stored.has(sha256) || damaged.has(sha256));
    return new Set(lost.map(({ sha256 }) => sha256));
  }

  async isDamaged(storeId: string, object: StoredObject): Promise<boolean> {
    const verdict = this.#verdict(`${storeId}/${object.sha256}`);
    if (!verdict?.intact) await this.#readInTime(storeId, [object]);
    return (await damagedObjects(this.#context.db, storeId)).has(object.sha256);
  }

  async #readInTime(storeId: string, objects: readonly StoredObject[]): Promise<void> {
    const batches = [...inBatches(objects)];
    // Reading continues after a timeout, for the next request.
    const reading = Promise.all(batches.map((batch) => this.#readOnce(storeId, batch)));
    await withTimeout(reading, this.#maxWait, verificationTimeout);
  }

  #isUnreported(key: string): boolean {
    return this.#unreported.has(key) && this.#verdict(key) !== null;
  }

  #keepUnreported(key: string): void {
    this.#unreported.add(key);
    const [oldest] = this.#unreported;
    if (this.#unreported.size > MAX_VERDICTS && oldest !== undefined) this.#unreported.delete(oldest);
  }

  async #stored(storeId: string, contents: readonly StoredObject[]): Promise<Set<string>> {
    const { objects, log, metrics } = this.#context;
    const lacking = new Set(await objects.findAbsent(storeId, contentsOf(contents)));
    const missing = contents.filter((_, at) => lacking.has(at));
    const stored = new Set(contents.flatMap(({ sha256 }, at) => (lacking.has(at) ? [] : [sha256])));
    if (missing.length === 0) return stored;
    const some = missing.slice(0, 10).map(({ sha256 }) => sha256);
    log.error({ storeId, objects: some, total: missing.length }, 'stored objects are missing');
    for (const _ of missing) metrics.damageFound('file');
    return stored;
  }

  #verdict(key: string): { intact: boolean } | null {
    const verdict = this.#verdicts.get(key);
    return verdict && performance.now() - verdict.at < VERDICT_LIFETIME ? verdict : null;
  }

  /** Concurrent requests for the same objects share a read. */
  async #readOnce(storeId: string, batch: readonly StoredObject[]): Promise<void> {
    const keyOf = ({ sha256 }: StoredObject) => `${storeId}/${sha256}`;
    const inFlight = new Set(batch.flatMap((object) => this.#reading.get(keyOf(object)) ?? []));
    const rest = batch.filter((object) => !this.#reading.has(keyOf(object)));
    if (rest.length > 0) {
      const reading = this.#read(storeId, rest).finally(() => {
        for (const object of rest) this.#reading.delete(keyOf(object));
      });
      for (const object of rest) this.#reading.set(keyOf(object), reading);
      inFlight.add(reading);
    }
    await Promise.all(inFlight);
  }

  async #read(storeId: string, batch: readonly StoredObject[]): Promise<void> {
    const { intact } = await readContents(this.#context, storeId, batch);
    for (const { sha256 } of batch) this.#remember(`${storeId}/${sha256}`, intact.has(sha256));
  }

  #remember(key: string, intact: boolean): void {
    this.#verdicts.delete(key);
    this.#verdicts.set(key, { intact, at: performance.now() });
    const [oldest] = this.#verdicts.keys();
    if (this.#verdicts.size > MAX_VERDICTS && oldest !== undefined) this.#verdicts.delete(oldest);
  }
}

/** Splits objects into batches, each of which is read together. */
export function* inBatches(objects: readonly StoredObject[]): Generator<StoredObject[]> {
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

function verificationTimeout(): never {
  throw unavailable('The service is still verifying what it stores. Try again.', RETRY_AFTER);
}
