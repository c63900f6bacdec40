import { contentsOf } from '../../objects/contents.ts';
import type { StoredObject } from '../../objects/store.ts';
import type { Parts } from '../../parts.ts';
import { clearDamaged, damagedObjects } from './damaged-objects.ts';
import { reportDamaged } from './report-damaged.ts';

export type ReadParts = Pick<Parts, 'db' | 'objects' | 'clock' | 'log' | 'metrics'>;

export interface CheckedContents {
  intact: ReadonlySet<string>;
  damaged: readonly string[];
}

/**
 * Reads objects of a store, and records which of them are damaged and which no longer are. Objects deleted before they
 * are read are neither intact nor damaged.
 */
export async function readContents(
  parts: ReadParts,
  storeId: string,
  objects: readonly StoredObject[],
): Promise<CheckedContents> {
  const { db } = parts;
  const intact = await parts.objects.findIntact(storeId, objects);
  const before = await damagedObjects(db, storeId);
  const damaged = await findStored(
    parts,
    storeId,
    objects.filter(({ sha256 }) => !intact.has(sha256)),
  );
  await reportDamaged(
    parts,
    storeId,
    damaged.filter((sha256) => !before.has(sha256)),
  );
  // Someone repaired the file outside the service.
  const repaired = objects.flatMap(({ sha256 }) =>
    intact.has(sha256) && before.has(sha256) ? [sha256] : [],
  );
  await clearDamaged(parts, storeId, repaired);
  return { intact, damaged };
}

/** Returns the objects that are stored, whatever their size. */
async function findStored(
  { objects }: ReadParts,
  storeId: string,
  wanted: readonly StoredObject[],
): Promise<string[]> {
  if (wanted.length === 0) return [];
  const absent = new Set(await objects.findAbsent(storeId, contentsOf(wanted)));
  const there: string[] = [];
  for (const [at, { sha256 }] of wanted.entries()) {
    if (!absent.has(at) || (await objects.size({ storeId, sha256 })) !== null) there.push(sha256);
  }
  return there;
}
