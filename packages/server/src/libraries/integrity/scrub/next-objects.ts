import type { StoredObject } from '../../../objects/store.ts';
import type { Parts } from '../../../parts.ts';
import type { Place } from './progress.ts';

/** Hashes of a store that are in memory at a time; a store is listed once for each so many. */
const MAX_IN_MEMORY = 50_000;

/** What follows a place, in the order of hashes: objects of one store. Empty at the end of a round. */
export interface NextObjects {
  storeId: string;
  objects: StoredObject[];
}

export async function nextObjects(
  { db, objects }: Pick<Parts, 'db' | 'objects'>,
  place: Place,
): Promise<NextObjects> {
  let { storeId, sha256 } = place;
  for (;;) {
    const found = storeId === '' ? [] : await smallestAfter(objects.list(storeId), sha256);
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

async function smallestAfter(objects: AsyncIterable<StoredObject>, after: string): Promise<StoredObject[]> {
  let found: StoredObject[] = [];
  for await (const { sha256, size } of objects) {
    if (sha256 <= after) continue;
    found.push({ sha256, size });
    if (found.length >= 2 * MAX_IN_MEMORY) found = smallest(found);
  }
  return smallest(found);
}

function smallest(objects: StoredObject[]): StoredObject[] {
  return objects.sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1)).slice(0, MAX_IN_MEMORY);
}
