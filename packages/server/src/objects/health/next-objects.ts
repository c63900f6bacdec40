import type { MaintenanceContext } from '../../context.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { StoredObject } from '../store.ts';
import type { ScrubPosition } from './scrub-progress.ts';

/** About how many objects of a store are in memory at a time. The store is listed once per batch of this size. */
const MAX_IN_MEMORY = 50_000;

/** Objects are grouped by this many leading digits of their hashes, so that each group is quick to sort. */
const PREFIX_LENGTH = 3;

/** Objects of one store that follow a place, in the order of their hashes. Empty at the end of a round. */
export interface NextObjects {
  storeId: string;
  objects: StoredObject[];
}

export async function nextObjects(
  { db, objects }: MaintenanceContext,
  place: ScrubPosition,
): Promise<NextObjects> {
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
