import { LRUCache } from 'lru-cache';
import type { ObjectAddress, ObjectStore } from '../../objects/store.ts';
import { RevisionIndex } from '../../revision/revision-index.ts';

/**
 * Opened revision indexes, bounded by their bytes. Concurrent requests for one share a load; a load that failed is
 * retried by the next request. What a request holds stays usable after it has left the cache.
 */
export class RevisionCache {
  readonly #indexes: LRUCache<string, RevisionIndex, ObjectAddress>;

  /** @param capacity in bytes, at least 1 */
  constructor(objects: Pick<ObjectStore, 'read'>, capacity: number) {
    this.#indexes = new LRUCache({
      maxSize: capacity,
      sizeCalculation: ({ byteLength }) => byteLength,
      fetchMethod: async (_key, _stale, { context }) => RevisionIndex.open(await objects.read(context)),
      // A load that is evicted still completes for those who wait for it.
      ignoreFetchAbort: true,
    });
  }

  /** Bytes held now. */
  get byteLength(): number {
    return this.#indexes.calculatedSize;
  }

  /** The index stored as an object. Rejects with `ENOENT` if it no longer exists. */
  async load(object: ObjectAddress): Promise<RevisionIndex> {
    const key = keyOf(object);
    return this.#indexes.get(key) ?? this.#indexes.forceFetch(key, { context: object });
  }

  /** Has later requests read the object anew. A load under way still ends for those who wait for it. */
  forget(object: ObjectAddress): void {
    this.#indexes.delete(keyOf(object));
  }
}

function keyOf({ storeId, sha256 }: ObjectAddress): string {
  return `${storeId}/${sha256}`;
}
