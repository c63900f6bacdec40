import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { forEachBounded } from '@bindery/concurrency';
import { unlessMissing } from '../../../objects/missing.ts';
import type { ConfirmDeletion, ObjectAddress, Reclaimed } from '../../../objects/store.ts';
import { moveInto, rename, stat, syncFolder, unlink } from '../files.ts';
import type { Layout } from './layout.ts';

const CONCURRENCY = 16;

/** The file of a former object, moved aside. */
interface Withdrawn extends ObjectAddress {
  path: string;
}

/**
 * Deletes objects in a way that can be reverted until the last moment: each file is first moved aside, then deleted
 * there.
 */
export class Deletions {
  readonly #layout: Layout;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  async delete(storeId: string, hashes: readonly string[], confirm: ConfirmDeletion): Promise<Reclaimed> {
    const wanted = [...new Set(hashes)];
    const own: Withdrawn[] = [];
    let confirmed: ReadonlySet<string> = new Set();
    try {
      await forEachBounded(wanted, { concurrency: CONCURRENCY }, async (sha256) => {
        const withdrawn = await this.#withdraw({ storeId, sha256 });
        if (withdrawn) own.push(withdrawn);
      });
      // Also deletes what an interrupted deletion moved aside, but only files present before `confirm` is called.
      const asked = new Set(wanted);
      const aside = (await this.#withdrawnOf(storeId)).filter(({ sha256 }) => asked.has(sha256));
      confirmed = await confirm(wanted);
      return await this.#remove(aside.filter(({ sha256 }) => confirmed.has(sha256)));
    } finally {
      await this.#putBack(own.filter(({ sha256 }) => !confirmed.has(sha256)));
      await this.#forgetFolder(storeId);
    }
  }

  async restoreInterrupted(isDoomed: (object: ObjectAddress) => Promise<boolean>): Promise<void> {
    for (const storeId of await fs.promises.readdir(this.#layout.withdrawn)) {
      for (const withdrawn of await this.#withdrawnOf(storeId)) {
        if (!(await isDoomed(withdrawn))) await this.#putBack([withdrawn]);
      }
      await this.#forgetFolder(storeId);
    }
  }

  async #withdraw(object: ObjectAddress): Promise<Withdrawn | null> {
    const { storeId, sha256 } = object;
    const folder = this.#layout.storeOf('withdrawn', storeId);
    const path = `${folder}/${sha256}-${randomBytes(6).toString('hex')}`;
    const moved = await unlessMissing(moveInto(folder, this.#layout.object(object), path).then(() => true));
    return moved ? { storeId, sha256, path } : null;
  }

  async #withdrawnOf(storeId: string): Promise<Withdrawn[]> {
    const folder = this.#layout.storeOf('withdrawn', storeId);
    const names = (await unlessMissing(fs.promises.readdir(folder))) ?? [];
    return names.map((name) => ({ storeId, sha256: name.split('-')[0] ?? '', path: `${folder}/${name}` }));
  }

  async #remove(files: readonly Withdrawn[]): Promise<Reclaimed> {
    const freed: Reclaimed = { objects: 0, bytes: 0 };
    await forEachBounded(files, { concurrency: CONCURRENCY }, async ({ path }) => {
      const stats = await unlessMissing(stat(path));
      if (!stats || (await unlessMissing(unlink(path).then(() => true))) === null) return;
      freed.objects += 1;
      freed.bytes += stats.size;
    });
    return freed;
  }

  /** Moves files back. If an object was stored again meanwhile, that one stays. */
  async #putBack(files: readonly Withdrawn[]): Promise<void> {
    const shards = new Set<string>();
    await forEachBounded(files, { concurrency: CONCURRENCY }, async ({ path, ...object }) => {
      const target = this.#layout.object(object);
      const isThere = (await unlessMissing(stat(target))) !== null;
      // If there is no folder for it, its store was deleted.
      const moved = !isThere && (await unlessMissing(rename(path, target).then(() => true)));
      if (moved) shards.add(this.#layout.shard(object));
      else await unlessMissing(unlink(path));
    });
    await forEachBounded(shards, { concurrency: CONCURRENCY }, syncFolder);
  }

  /** Removes the folder of a store unless another deletion is using it. */
  async #forgetFolder(storeId: string): Promise<void> {
    await fs.promises.rmdir(this.#layout.storeOf('withdrawn', storeId)).catch(() => {});
  }
}
