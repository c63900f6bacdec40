import { mkdir, readdir, rm, stat, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY } from '@bindery/contract/wire';
import { unlessMissing } from '../objects/missing.ts';

/**
 * A folder of files that can be made again, by store, of which the least recently used are evicted. It can be emptied
 * at any time.
 */
export class EvictingFolder {
  readonly #folder: string;
  readonly #maxBytes: number;
  /** Bytes written since all files were last checked. The first write triggers a check, for what was there before. */
  #written = Number.POSITIVE_INFINITY;
  #trimming: Promise<void> | undefined;

  /** `maxBytes` is the maximum size of all files together; temporarily exceeded by up to an eighth. */
  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  pathOf(storeId: string, name: string): string {
    return join(this.#folder, storeId, name);
  }

  /** Creates an empty folder in this one, which is moved to its place once it has been filled. */
  async createDraft(name: string): Promise<string> {
    const draft = join(this.#folder, 'drafts', name);
    await mkdir(draft, { recursive: true, mode: 0o700 });
    return draft;
  }

  /**
   * Records that a file was used. A resolution of one day is enough to find unused files and costs at most one write a
   * day.
   */
  async noteUse(path: string): Promise<void> {
    const now = Date.now();
    const isOld = async () => (await stat(path)).mtimeMs < now - DAY;
    await unlessMissing(isOld().then((old) => (old ? utimes(path, now / 1_000, now / 1_000) : undefined)));
  }

  /** Makes room after `bytes` were written. */
  async noteWritten(bytes: number): Promise<void> {
    this.#written += bytes;
    if (this.#written <= this.#maxBytes / 8) return;
    this.#written = 0;
    this.#trimming ??= this.#deleteOldest().finally(() => {
      this.#trimming = undefined;
    });
    await this.#trimming;
  }

  async deleteStore(storeId: string): Promise<void> {
    await rm(join(this.#folder, storeId), { recursive: true, force: true });
  }

  async #deleteOldest(): Promise<void> {
    const files: { path: string; size: number; mtimeMs: number }[] = [];
    for (const entry of await readdir(this.#folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const stats = entry.isFile() ? await unlessMissing(stat(path)) : null;
      if (stats) files.push({ path, size: stats.size, mtimeMs: stats.mtimeMs });
    }
    let total = files.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of files.sort((one, other) => one.mtimeMs - other.mtimeMs)) {
      if (total <= this.#maxBytes) return;
      await unlessMissing(unlink(path));
      total -= size;
    }
  }
}
