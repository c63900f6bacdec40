import { hash, randomUUID } from 'node:crypto';
import { DAY } from '@bindery/contract/wire';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { RevisionIndex } from '../../revision/revision-index.ts';

/** What was counted of one asset; of all assets of a store for the empty id. */
export interface UseCount {
  storeId: string;
  assetId: string;
  downloads: number;
  uses: number;
}

/** Bounds of what is held until it is written; beyond them nothing is counted. */
const MAX_COUNTS = 100_000;
const MAX_PATHS = 500_000;
/** Bounds of a day: assets that one caller uses, and those that all do together. */
const MAX_USED = { byCaller: 1_000, byAll: 500_000 };

/**
 * Counts downloads and uses of assets in memory, so that no request waits for it. Nothing here says by whom or when. What
 * was counted is taken out from time to time and written; if the process is killed before, it is lost.
 */
export class UseCounter {
  readonly isOn: boolean;
  readonly #clock: () => number;
  #used = new UsedToday(0);
  #counts = new Map<string, UseCount>();
  /** Files that were asked for, not yet assigned to assets. An index that is no longer in memory is not counted. */
  #files: { storeId: string; index: WeakRef<RevisionIndex>; paths: readonly string[] }[] = [];
  #paths = 0;
  readonly #firstFiles = new WeakMap<RevisionIndex, ReadonlyMap<string, string>>();

  constructor(isOn: boolean, clock: () => number) {
    this.isOn = isOn;
    this.#clock = clock;
  }

  /** An asset counts as downloaded once for each request that asks for its entry file. */
  filesTaken(storeId: string, index: RevisionIndex, paths: readonly string[]): void {
    if (!this.isOn || this.#paths + paths.length > MAX_PATHS) return;
    this.#paths += paths.length;
    this.#files.push({ storeId, index: new WeakRef(index), paths });
  }

  downloaded(storeId: string, assetIds: readonly string[]): void {
    this.#add(storeId, assetIds, 'downloads');
  }

  /** Assets that a project of the caller has pinned in its lock; each counts once a day. */
  used(caller: string, storeId: string, assetIds: readonly string[]): void {
    const day = Math.floor(this.#clock() / DAY);
    if (this.#used.day !== day) this.#used = new UsedToday(day);
    const first = assetIds.filter((id) => this.#used.isFirst(caller, `${storeId} ${id}`));
    this.#add(storeId, first, 'uses');
  }

  /** Returns what was counted since the last call, in an order that is the same for all servers. */
  async take(): Promise<UseCount[]> {
    const files = this.#files;
    this.#files = [];
    this.#paths = 0;
    for (const { storeId, index, paths } of files) {
      const revision = index.deref();
      if (revision !== undefined) this.downloaded(storeId, await this.#assetsAt(revision, paths));
    }
    const counts = [...this.#counts].sort(([one], [other]) => (one < other ? -1 : 1));
    this.#counts = new Map();
    return counts.map(([, count]) => count);
  }

  #add(storeId: string, assetIds: readonly string[], what: 'downloads' | 'uses'): void {
    if (!this.isOn || assetIds.length === 0) return;
    for (const assetId of assetIds) this.#increase(storeId, assetId, what, 1);
    this.#increase(storeId, '', what, assetIds.length);
  }

  #increase(storeId: string, assetId: string, what: 'downloads' | 'uses', by: number): void {
    const key = `${storeId} ${assetId}`;
    const known = this.#counts.get(key);
    if (known !== undefined) known[what] += by;
    else if (this.#counts.size < MAX_COUNTS) {
      this.#counts.set(key, { storeId, assetId, downloads: 0, uses: 0, [what]: by });
    }
  }

  async #assetsAt(index: RevisionIndex, paths: readonly string[]): Promise<string[]> {
    let known = this.#firstFiles.get(index);
    if (known === undefined) {
      known = await firstFilesOf(index);
      this.#firstFiles.set(index, known);
    }
    const assets = new Set<string>();
    for (const path of paths) {
      const asset = known.get(path);
      if (asset !== undefined) assets.add(asset);
    }
    return [...assets];
  }
}

/** Knows for a day who has used what, by hashes that nothing outside of this process can be compared with. */
class UsedToday {
  readonly day: number;
  readonly #salt = randomUUID();
  readonly #used = new Map<string, Set<string>>();
  #total = 0;

  constructor(day: number) {
    this.day = day;
  }

  /** Remembers that a caller uses an asset; false if that is known, or too much else is. */
  isFirst(caller: string, asset: string): boolean {
    const key = this.#hash(caller);
    const used = this.#used.get(key) ?? new Set();
    const isFull = used.size >= MAX_USED.byCaller || this.#total >= MAX_USED.byAll;
    const hashed = this.#hash(asset);
    if (isFull || used.has(hashed)) return false;
    this.#used.set(key, used.add(hashed));
    this.#total++;
    return true;
  }

  #hash(text: string): string {
    return hash('sha256', this.#salt + text, 'base64url').slice(0, 16);
  }
}

/** Returns the assets of a revision by their entry files; by the first file of one without. */
async function firstFilesOf(index: RevisionIndex): Promise<ReadonlyMap<string, string>> {
  const byFile = new Map<string, string>();
  for (let asset = 0; asset < index.assetCount; asset++) {
    const { entry, assetId } = index.card(asset);
    const [first] = index.filesOf(asset);
    const path = entry ?? (first === undefined ? null : index.files.at(first).path);
    if (path !== null) byFile.set(path, assetId);
    if (turnIsOver()) await nextTurn();
  }
  return byFile;
}
