import { createHash } from 'node:crypto';
import { json } from 'node:stream/consumers';
import type { BlendAssets } from '@bindery/formats/blend/data-blocks';
import type { ConversionCache, WrittenConversion } from '../../conversions/conversions.ts';
import type { ObjectAddress, ObjectStore } from '../../objects/store.ts';

/** Reads Blender files of this machine, off the event loop. */
export interface BlendReader {
  /** Changes when the same file is read as something else. */
  readonly version: string;
  /** Writes what a file has, as a `BlendAssets` in JSON, into a folder; null in it for one that cannot be read. */
  read(file: string, into: string): Promise<WrittenConversion>;
  close(): Promise<void>;
}

/** What is in the Blender files of libraries: each is read when it is first asked for, and what was read is cached. */
export class BlendFiles {
  readonly #objects: Pick<ObjectStore, 'localFile'>;
  readonly #reader: BlendReader;
  readonly #cache: ConversionCache;
  readonly #running = new Map<string, Promise<BlendAssets | null>>();

  constructor(objects: Pick<ObjectStore, 'localFile'>, reader: BlendReader, cache: ConversionCache) {
    this.#objects = objects;
    this.#reader = reader;
    this.#cache = cache;
  }

  /** Returns the assets of a file, null if it cannot be read as one of Blender's. Throws `unavailable` where too many are read. */
  read(object: ObjectAddress): Promise<BlendAssets | null> {
    const name = `${object.storeId} ${object.sha256}`;
    const running = this.#running.get(name);
    if (running) return running;
    const read = this.#read(object).finally(() => this.#running.delete(name));
    this.#running.set(name, read);
    // Who asked may have left.
    read.catch(() => {});
    return read;
  }

  async deleteStore(storeId: string): Promise<void> {
    await this.#cache.deleteStore(storeId);
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  async #read(object: ObjectAddress): Promise<BlendAssets | null> {
    const key = createHash('sha256').update(`${this.#reader.version} ${object.sha256}`).digest('hex');
    const address = { storeId: object.storeId, key };
    const found =
      (await this.#cache.find(address)) ??
      (await this.#cache.make(address, async (into) =>
        this.#reader.read(await this.#objects.localFile(object), into),
      ));
    return (await json(found.open())) as BlendAssets | null;
  }
}
