import type { ObjectAddress, ObjectStore } from '../../objects/store.ts';
import { RevisionIndex } from '../../revision/revision-index.ts';

/**
 * Opened revision indexes, the least recently used forgotten first. Requests that want one at the same time share one
 * load; a load that failed is tried again by the next request. What a request holds stays usable after the cache has
 * forgotten it.
 */
export class RevisionCache {
  readonly #objects: Pick<ObjectStore, 'read'>;
  readonly #capacity: number;
  readonly #loads = new Map<string, Promise<RevisionIndex>>();
  readonly #opened = new Map<string, RevisionIndex>();
  #bytes = 0;

  /** @param capacity bytes of indexes to keep at most */
  constructor(objects: Pick<ObjectStore, 'read'>, capacity: number) {
    this.#objects = objects;
    this.#capacity = capacity;
  }

  /** Bytes held now. */
  get byteLength(): number {
    return this.#bytes;
  }

  /** The index stored as an object. Rejects with `ENOENT` where there is none any more. */
  async load(address: ObjectAddress): Promise<RevisionIndex> {
    const key = `${address.storeId}/${address.sha256}`;
    const opened = this.#opened.get(key);
    if (opened) {
      this.#opened.delete(key);
      this.#opened.set(key, opened);
      return opened;
    }
    const underWay = this.#loads.get(key);
    if (underWay) return underWay;
    const load = this.#open(key, address).finally(() => this.#loads.delete(key));
    this.#loads.set(key, load);
    return load;
  }

  async #open(key: string, address: ObjectAddress): Promise<RevisionIndex> {
    const index = RevisionIndex.open(await this.#objects.read(address));
    this.#opened.set(key, index);
    this.#bytes += index.byteLength;
    this.#forgetOldest();
    return index;
  }

  #forgetOldest(): void {
    for (const [key, { byteLength }] of this.#opened) {
      if (this.#bytes <= this.#capacity) return;
      this.#opened.delete(key);
      this.#bytes -= byteLength;
    }
  }
}
