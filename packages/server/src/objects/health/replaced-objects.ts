import type { MaintenanceContext } from '../../context.ts';
import { recentlyUploaded } from '../uploads.ts';
import { clearDamaged, damagedObjects } from './damaged-objects.ts';

/**
 * Reads damaged objects that were uploaded again, and clears the damage records of those that are intact. Only for
 * stores without a staging area, where an upload replaces an object immediately.
 */
export async function clearReplacedDamage(
  { db, objects, log, metrics }: MaintenanceContext,
  storeId: string,
): Promise<void> {
  if (objects.hasStaging) return;
  const damaged = [...(await damagedObjects(db, storeId))];
  if (damaged.length === 0) return;
  const again = await recentlyUploaded(db, storeId, damaged);
  const whole = await objects.findIntact(
    storeId,
    [...again].map((sha256) => ({ sha256, size: 0 })),
  );
  if (whole.size === 0) return;
  await clearDamaged(db, storeId, [...whole]);
  log.warn({ storeId, total: whole.size }, 'lost objects were replaced by a push');
  for (const _ of whole) metrics.damageRepaired('file');
}
