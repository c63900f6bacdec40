import type { MaintenanceContext } from '../../context.ts';
import { contentsOf } from '../contents.ts';
import type { StoredObject } from '../store.ts';
import { clearDamaged, damagedObjects } from './damaged-objects.ts';
import { reportDamaged } from './report-damaged.ts';

export interface CheckedContents {
  intact: ReadonlySet<string>;
  damaged: readonly string[];
}

/**
 * Reads objects of a store, and records which of them are damaged and which no longer are. Objects deleted before they
 * are read are neither intact nor damaged.
 */
export async function readContents(
  context: MaintenanceContext,
  storeId: string,
  objects: readonly StoredObject[],
): Promise<CheckedContents> {
  const { db } = context;
  const intact = await context.objects.findIntact(storeId, objects);
  const before = await damagedObjects(db, storeId);
  const damaged = await findStored(
    context,
    storeId,
    objects.filter(({ sha256 }) => !intact.has(sha256)),
  );
  await reportDamaged(
    context,
    storeId,
    damaged.filter((sha256) => !before.has(sha256)),
  );
  // Someone repaired the file outside the service.
  const repaired = objects.flatMap(({ sha256 }) =>
    intact.has(sha256) && before.has(sha256) ? [sha256] : [],
  );
  await clearDamaged(context.db, storeId, repaired);
  return { intact, damaged };
}

/** Returns the objects that are stored, whatever their size. */
async function findStored(
  { objects }: MaintenanceContext,
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
