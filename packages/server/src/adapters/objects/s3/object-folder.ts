import type { ObjectFolder } from '../../../backup/ports.ts';
import type { ObjectAddress, StoredObject } from '../../../objects/store.ts';
import { ID, SHA256 } from '../http/presigned-urls.ts';
import type { Bucket } from './bucket.ts';
import { AREAS, type Keys } from './keys.ts';
import { spool } from './stream-sender.ts';

/** The keys of the objects of a folder in its bucket. */
export interface ObjectKeys {
  object(object: ObjectAddress): string;
  /** The prefix of the keys of all objects of a store. */
  objects(storeId: string): string;
  /** The prefix of the keys of all stores. */
  readonly stores: string;
}

/** Returns the keys that `S3Store` uses. */
export function keysOfStore(keys: Keys): ObjectKeys {
  return {
    object: (object) => keys.object(object),
    objects: (storeId) => keys.objects(storeId),
    stores: keys.top,
  };
}

/**
 * Returns the keys that match the layout of a backup in a folder, so that a backup can be copied between folders and
 * buckets unchanged.
 */
export function keysOfBackup(prefix: string): ObjectKeys {
  const stores = `${prefix}objects/`;
  return {
    object: ({ storeId, sha256 }) => `${stores}${storeId}/${sha256.slice(0, 2)}/${sha256}`,
    objects: (storeId) => `${stores}${storeId}/`,
    stores,
  };
}

/** The objects of a service, or of a backup, in a bucket; the service need not be running. */
export class BucketObjectFolder implements ObjectFolder {
  readonly #bucket: Bucket;
  readonly #keys: ObjectKeys;
  readonly #temporaryFolder: string;

  /** Content being put is held until it has been verified: in memory, or in `temporaryFolder` if it is large. */
  constructor(bucket: Bucket, keys: ObjectKeys, temporaryFolder: string) {
    this.#bucket = bucket;
    this.#keys = keys;
    this.#temporaryFolder = temporaryFolder;
  }

  async read(object: ObjectAddress): Promise<Buffer> {
    return Buffer.concat(await Array.fromAsync(this.stream(object)));
  }

  stream(object: ObjectAddress): AsyncIterable<Buffer> {
    return this.#bucket.read(this.#keys.object(object));
  }

  async put(object: ObjectAddress, content: AsyncIterable<Buffer>): Promise<boolean> {
    await using spooled = await spool(content, this.#temporaryFolder);
    if (spooled.sha256 !== object.sha256) return false;
    await this.#bucket.put(this.#keys.object(object), spooled.size, object.sha256, spooled.body);
    return true;
  }

  async stores(): Promise<string[]> {
    const names: string[] = [];
    for await (const name of this.#bucket.namesBelow(this.#keys.stores)) {
      const storeId = name.slice(0, -1);
      if (name.endsWith('/') && ID.test(storeId) && !AREAS.includes(storeId)) names.push(storeId);
    }
    return names;
  }

  async *list(storeId: string): AsyncGenerator<StoredObject> {
    for await (const { key, size } of this.#bucket.list(this.#keys.objects(storeId))) {
      const sha256 = key.slice(key.lastIndexOf('/') + 1);
      if (SHA256.test(sha256)) yield { sha256, size };
    }
  }

  delete(object: ObjectAddress): Promise<void> {
    return this.#bucket.delete([this.#keys.object(object)]);
  }

  /** Does nothing: a bucket has an object only once all of it has arrived. */
  async deleteUnfinished(): Promise<void> {}
}
