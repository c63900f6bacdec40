import { randomUUID } from 'node:crypto';
import { DAY } from '@bindery/contract';
import type { MaintenanceContext } from '../../context.ts';
import { repeat } from '../../process/repeat.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { libraryOf, releasedRows } from '../references.ts';
import type { StoredObject } from '../store.ts';
import { inBatches } from './check.ts';
import { readContents } from './damage.ts';
import {
  type Amounts,
  acquireScrub,
  advance,
  endRound,
  openScrub,
  releaseScrub,
  type ScrubPosition,
  type ScrubRow,
  sendHeartbeat,
} from './scrub-progress.ts';

/** Milliseconds between checks for something to do. */
const INTERVAL = 10_000;
/** Milliseconds without a beat after which the holder counts as stopped, by the clock of the waiting server. */
const TAKEN_OVER_AFTER = 60_000;
/** The longest pause without a beat, in milliseconds. */
const MAX_PAUSE = 10_000;
/** Milliseconds between rounds, so that small stores are not read continuously. */
const BETWEEN_ROUNDS = DAY;

interface ScrubOptions {
  bytesPerSecond: number;
  /** A monotonic clock, in milliseconds. */
  now?: () => number;
  pause?: (milliseconds: number) => Promise<void>;
}

/**
 * Reads every object of every store in the background, at a bounded rate, and records what is damaged. `stop` resolves
 * once the current batch has been read.
 */
export function startScrub(
  context: MaintenanceContext,
  { interval = INTERVAL, ...options }: ScrubOptions & { interval?: number },
): { stop(): Promise<void> } {
  const stopped = Promise.withResolvers<void>();
  const pause = (milliseconds: number) => {
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(over.resolve, milliseconds);
    return Promise.race([over.promise, stopped.promise]).finally(() => clearTimeout(timer));
  };
  const scrubber = new Scrubber(context, { pause, ...options });
  const passes = repeat({ every: interval, name: 'scrub', log: context.log }, (isStopped) =>
    scrubber.run(isStopped),
  );
  return {
    async stop() {
      stopped.resolve();
      await passes.stop();
      await scrubber.release();
    },
  };
}

/** The scrub of one server. Of several servers on one database, only one scrubs at a time. */
export class Scrubber {
  readonly #context: MaintenanceContext;
  readonly #options: Required<ScrubOptions>;
  readonly #holder = randomUUID();
  #seen: { row: ScrubRow; at: number } | null = null;

  constructor(context: MaintenanceContext, options: ScrubOptions & Required<Pick<ScrubOptions, 'pause'>>) {
    this.#context = context;
    this.#options = { now: () => performance.now(), ...options };
  }

  /** Continues the round where it stopped, if a round is due and this server holds the scrub or can take it. */
  async run(isStopped: () => boolean): Promise<void> {
    const { db, clock, log } = this.#context;
    const row = await openScrub(db);
    const isUnderWay = row.store_id !== '';
    if (!isUnderWay && row.ended_at !== null && clock() - row.ended_at < BETWEEN_ROUNDS) return;
    if (!(await this.#hold(row))) return;
    const amounts = { objects: row.objects, bytes: row.bytes, damaged: row.damaged };
    let place = { storeId: row.store_id, sha256: row.sha256 };
    while (!isStopped()) {
      const { storeId, objects } = await nextObjects(this.#context, place);
      if (objects.length === 0) {
        // Do not end the round of an empty service: it may have objects in a minute.
        if (amounts.objects === 0) return;
        if (await endRound(db, this.#holder, clock(), amounts))
          log.info(amounts, 'a scrub has read everything');
        return;
      }
      for (const batch of inBatches(objects)) {
        if (isStopped()) return;
        place = { storeId, sha256: batch.at(-1)?.sha256 ?? '' };
        await this.#read(storeId, batch, amounts);
        if (!(await advance(db, this.#holder, place, amounts))) return;
        if (!(await this.#throttle(bytesOf(batch), isStopped))) return;
      }
    }
  }

  release(): Promise<void> {
    return releaseScrub(this.#context.db, this.#holder);
  }

  /** Whether this server holds the scrub. Takes it if nobody holds it or its holder has stopped. */
  async #hold(row: ScrubRow): Promise<boolean> {
    if (row.holder === this.#holder) return true;
    const now = this.#options.now();
    const isSame = this.#seen?.row.holder === row.holder && this.#seen.row.beats === row.beats;
    if (!isSame) this.#seen = { row, at: now };
    const isFree = row.holder === '' || (this.#seen !== null && now - this.#seen.at >= TAKEN_OVER_AFTER);
    return isFree && (await acquireScrub(this.#context.db, row, this.#holder));
  }

  async #read(storeId: string, batch: readonly StoredObject[], amounts: Amounts): Promise<void> {
    const bytes = bytesOf(batch);
    const { damaged } = await readContents(this.#context, storeId, batch);
    this.#context.metrics.scrubbed(bytes);
    amounts.objects += batch.length;
    amounts.bytes += bytes;
    amounts.damaged += damaged.length;
    if (damaged.length > 0) await this.#repairIndexes(storeId, new Set(damaged));
  }

  /** Rebuilds damaged indexes from the manifests they are derived from. */
  async #repairIndexes(storeId: string, damaged: ReadonlySet<string>): Promise<void> {
    const { db, indexRepairer } = this.#context;
    const library = await libraryOf(db, storeId);
    for (const row of library ? [library, ...(await releasedRows(db, storeId))] : []) {
      if (damaged.has(row.index_sha256)) await indexRepairer.repair(row);
    }
  }

  /** Waits as long as reading the bytes may take. Returns false if another server took over the scrub. */
  async #throttle(bytes: number, isStopped: () => boolean): Promise<boolean> {
    let left = (bytes / this.#options.bytesPerSecond) * 1_000;
    while (left > 0 && !isStopped()) {
      await this.#options.pause(Math.min(left, MAX_PAUSE));
      left -= MAX_PAUSE;
      if (left > 0 && !(await sendHeartbeat(this.#context.db, this.#holder))) return false;
    }
    return true;
  }
}

function bytesOf(objects: readonly StoredObject[]): number {
  return objects.reduce((sum, { size }) => sum + size, 0);
}

/** About how many objects of a store are in memory at a time. The store is listed once per batch of this size. */
const MAX_IN_MEMORY = 50_000;

/** Objects are grouped by this many leading digits of their hashes, so that each group is quick to sort. */
const PREFIX_LENGTH = 3;

/** Objects of one store that follow a place, in the order of their hashes. Empty at the end of a round. */
interface NextObjects {
  storeId: string;
  objects: StoredObject[];
}

async function nextObjects({ db, objects }: MaintenanceContext, place: ScrubPosition): Promise<NextObjects> {
  let { storeId, sha256 } = place;
  for (;;) {
    const found = storeId === '' ? [] : await firstAfter(objects.list(storeId), sha256);
    if (found.length > 0) return { storeId, objects: found };
    const next = await db
      .selectFrom('library_names')
      .select('store_id')
      .where('store_id', '>', storeId)
      .orderBy('store_id')
      .limit(1)
      .executeTakeFirst();
    if (next === undefined) return { storeId, objects: [] };
    [storeId, sha256] = [next.store_id, ''];
  }
}

/**
 * Returns the objects with the smallest hashes after the given one, sorted, whatever order they are listed in: all of
 * them or, if there are more than twice `most`, those with the first prefixes. These are at most twice `most`, unless a
 * single prefix has more.
 */
export async function firstAfter(
  objects: AsyncIterable<StoredObject>,
  after: string,
  most: number = MAX_IN_MEMORY,
): Promise<StoredObject[]> {
  const byPrefix = new Map<string, StoredObject[]>();
  let count = 0;
  let end: string | null = null;
  for await (const { sha256, size } of objects) {
    const prefix = sha256.slice(0, PREFIX_LENGTH);
    if (sha256 <= after || (end !== null && prefix >= end)) continue;
    const alike = byPrefix.get(prefix);
    if (alike) alike.push({ sha256, size });
    else byPrefix.set(prefix, [{ sha256, size }]);
    if (++count <= 2 * most) continue;
    for (const last of [...byPrefix.keys()].sort().reverse()) {
      if (count <= most || byPrefix.size === 1) break;
      count -= byPrefix.get(last)?.length ?? 0;
      byPrefix.delete(last);
      end = last;
    }
  }
  const found: StoredObject[] = [];
  for (const prefix of [...byPrefix.keys()].sort()) {
    found.push(...(byPrefix.get(prefix) ?? []).sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1)));
    if (turnIsOver()) await nextTurn();
  }
  return found;
}
