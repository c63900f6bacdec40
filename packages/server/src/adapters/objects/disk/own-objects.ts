import { unlessMissing } from '../../../objects/missing.ts';
import type { Draft, ObjectAddress, StoredObject } from '../../../objects/store.ts';
import {
  close,
  digestFile,
  fdatasync,
  makeFolder,
  open,
  PRIVATE_FILE,
  rename,
  temporaryPath,
  unlink,
  withTemporaryFile,
  writeAll,
} from './files.ts';
import type { Layout } from './layout.ts';
import type { Promoter } from './promoter.ts';

/** Objects that the service itself writes; nobody uploads them. */
export class OwnObjects {
  readonly #layout: Layout;
  readonly #promoter: Promoter;

  constructor(layout: Layout, promoter: Promoter) {
    this.#layout = layout;
    this.#promoter = promoter;
  }

  write(storeId: string, bytes: Uint8Array): Promise<StoredObject> {
    return withTemporaryFile(this.#layout, async (fd, path) => {
      await writeAll(fd, bytes);
      const stored = await digestFile(path);
      await this.#makeObject({ storeId, sha256: stored.sha256 }, fd, path);
      return stored;
    });
  }

  async createDraft(storeId: string): Promise<Draft> {
    const file = temporaryPath(this.#layout);
    await close(await open(file, 'wx', PRIVATE_FILE));
    return {
      file,
      commit: async (sha256) => {
        const fd = await open(file, 'r', 0);
        try {
          await this.#makeObject({ storeId, sha256 }, fd, file);
        } finally {
          await close(fd);
        }
      },
      [Symbol.asyncDispose]: async () => {
        await unlessMissing(unlink(file));
      },
    };
  }

  async #makeObject(object: ObjectAddress, fd: number, path: string): Promise<void> {
    const shard = this.#layout.shard(object);
    await fdatasync(fd);
    await makeFolder(shard);
    await rename(path, this.#layout.object(object));
    await this.#promoter.sync([shard], object.storeId);
  }
}
