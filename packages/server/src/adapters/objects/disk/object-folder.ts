import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ObjectFolder } from '../../../backup/ports.ts';
import { unlessMissing } from '../../../objects/missing.ts';
import type { ObjectAddress, StoredObject } from '../../../objects/store.ts';
import { HashedContent, PRIVATE_FILE, PRIVATE_FOLDER, syncFolder } from '../files.ts';
import { ID, SHA256 } from '../http/presigned-urls.ts';
import { Layout } from './layout.ts';

/** Begins the names of files that are being written. */
const UNFINISHED = '.';

/** The objects in a folder with the layout of a disk store; the service need not be running. */
export class DiskObjectFolder implements ObjectFolder {
  readonly #layout: Layout;

  constructor(folder: string) {
    this.#layout = new Layout(folder);
  }

  /** Returns the path of an object's file, whether or not it exists. */
  fileOf(object: ObjectAddress): string {
    return this.#layout.object(object);
  }

  read(object: ObjectAddress): Promise<Buffer> {
    return readFile(this.fileOf(object));
  }

  stream(object: ObjectAddress): AsyncIterable<Buffer> {
    return createReadStream(this.fileOf(object));
  }

  async put(object: ObjectAddress, content: AsyncIterable<Buffer>): Promise<boolean> {
    const target = this.fileOf(object);
    const folder = dirname(target);
    await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
    const temporary = join(folder, `${UNFINISHED}${randomUUID()}`);
    try {
      if ((await writeHashed(content, temporary)) !== object.sha256) return false;
      await rename(temporary, target);
      await syncFolder(folder);
      return true;
    } finally {
      await rm(temporary, { force: true });
    }
  }

  async stores(): Promise<string[]> {
    return (await namesIn(this.#layout.objects)).filter((name) => ID.test(name));
  }

  async *list(storeId: string): AsyncGenerator<StoredObject> {
    const store = this.#layout.storeOf('objects', storeId);
    for (const shard of await namesIn(store)) {
      for (const sha256 of await namesIn(join(store, shard))) {
        if (!SHA256.test(sha256)) continue;
        const found = await unlessMissing(stat(join(store, shard, sha256)));
        if (found !== null) yield { sha256, size: found.size };
      }
    }
  }

  async delete(object: ObjectAddress): Promise<void> {
    await rm(this.fileOf(object), { force: true });
  }

  async deleteUnfinished(storeId: string): Promise<void> {
    const store = this.#layout.storeOf('objects', storeId);
    for (const shard of await namesIn(store)) {
      for (const name of await namesIn(join(store, shard))) {
        if (name.startsWith(UNFINISHED)) await rm(join(store, shard, name), { force: true });
      }
    }
  }
}

/** Writes a file durably and returns the hash of what was written. */
async function writeHashed(content: AsyncIterable<Buffer>, file: string): Promise<string> {
  const hashed = new HashedContent(content);
  await pipeline(hashed.chunks, createWriteStream(file, { mode: PRIVATE_FILE, flush: true }));
  return hashed.finish().sha256;
}

async function namesIn(folder: string): Promise<string[]> {
  return (await unlessMissing(readdir(folder))) ?? [];
}
