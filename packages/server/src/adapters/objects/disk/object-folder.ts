import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { CopyOutcome, ObjectFolder } from '../../../backup/ports.ts';
import { isMissing, unlessMissing } from '../../../objects/missing.ts';
import type { ObjectAddress } from '../../../objects/store.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER, syncFolder } from './files.ts';
import { ID, Layout, SHA256 } from './layout.ts';

/** The objects below a folder that a disk store has, or had; no service need run. */
export class DiskObjectFolder implements ObjectFolder {
  readonly #layout: Layout;

  constructor(folder: string) {
    this.#layout = new Layout(folder);
  }

  fileOf(object: ObjectAddress): string {
    return this.#layout.object(object);
  }

  read(object: ObjectAddress): Promise<Buffer> {
    return readFile(this.fileOf(object));
  }

  async copyFrom(
    other: ObjectFolder,
    object: ObjectAddress,
  ): Promise<{ outcome: CopyOutcome; bytes: number }> {
    const [source, target] = [other.fileOf(object), this.fileOf(object)];
    const there = await unlessMissing(stat(target));
    if (there !== null) return { outcome: 'there already', bytes: there.size };
    const folder = dirname(target);
    await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
    const temporary = join(folder, `.${randomUUID()}`);
    try {
      const { sha256, bytes } = await copyFile(source, temporary);
      if (sha256 !== object.sha256) return { outcome: 'damaged', bytes: 0 };
      await rename(temporary, target);
      await syncFolder(folder);
      return { outcome: 'copied', bytes };
    } catch (error) {
      if (isMissing(error)) return { outcome: 'missing', bytes: 0 };
      throw error;
    } finally {
      await rm(temporary, { force: true });
    }
  }

  async stores(): Promise<string[]> {
    return (await namesIn(this.#layout.objects)).filter((name) => ID.test(name));
  }

  async *list(storeId: string): AsyncGenerator<ObjectAddress> {
    const store = this.#layout.storeOf('objects', storeId);
    for (const shard of await namesIn(store)) {
      for (const sha256 of await namesIn(join(store, shard))) {
        if (SHA256.test(sha256)) yield { storeId, sha256 };
      }
    }
  }

  async delete(object: ObjectAddress): Promise<void> {
    await rm(this.fileOf(object), { force: true });
  }
}

/** Copies a file durably and returns the hash of what was copied. */
async function copyFile(from: string, to: string): Promise<{ sha256: string; bytes: number }> {
  const digest = createHash('sha256');
  let bytes = 0;
  await pipeline(
    createReadStream(from),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        digest.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    },
    createWriteStream(to, { mode: PRIVATE_FILE, flush: true }),
  );
  return { sha256: digest.digest('hex'), bytes };
}

async function namesIn(folder: string): Promise<string[]> {
  return (await unlessMissing(readdir(folder))) ?? [];
}
