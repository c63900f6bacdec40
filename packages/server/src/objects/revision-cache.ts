import { LRUCache } from 'lru-cache';
import { RevisionIndex } from '../revision/revision-index.ts';
import type { ObjectAddress, ObjectStore } from './store.ts';

/**
 * Caches opened revision indexes, bounded by their bytes. Concurrent requests for an index share a load; a load that
 * failed is retried by the next request. An evicted index stays usable for the requests that hold it.
 */
export class RevisionCache {
  readonly #indexes: LRUCache<string, RevisionIndex, ObjectAddress>;

  /** @param capacity in bytes, at least 1 */
  constructor(objects: Pick<ObjectStore, 'read'>, capacity: number) {
    this.capacity = capacity;
    this.#indexes = new LRUCache({
      maxSize: capacity,
      sizeCalculation: ({ byteLength }) => byteLength,
      fetchMethod: async (_key, _stale, { context }) => RevisionIndex.open(await objects.read(context)),
      // An evicted load still completes for the requests that wait for it.
      ignoreFetchAbort: true,
    });
  }

  /** The most bytes that it holds. */
  readonly capacity: number;

  /** Bytes in the cache now. */
  get byteLength(): number {
    return this.#indexes.calculatedSize;
  }

  /** The index stored as an object, if it is in the cache. */
  held(object: ObjectAddress): RevisionIndex | undefined {
    return this.#indexes.get(keyOf(object));
  }

  /** The index stored as an object. Rejects with `ENOENT` if it no longer exists. */
  async load(object: ObjectAddress): Promise<RevisionIndex> {
    return this.held(object) ?? this.#indexes.forceFetch(keyOf(object), { context: object });
  }

  /** Makes later requests read the object again. A load in progress completes for the requests that wait for it. */
  evict(object: ObjectAddress): void {
    this.#indexes.delete(keyOf(object));
  }
}

function keyOf({ storeId, sha256 }: ObjectAddress): string {
  return `${storeId}/${sha256}`;
}
