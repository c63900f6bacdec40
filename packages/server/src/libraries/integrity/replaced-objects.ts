import type { Parts } from '../../parts.ts';
import { recentlyUploaded } from '../uploads/direct-uploads.ts';
import { damagedObjects, forgetDamaged } from './damaged-objects.ts';

/**
 * Reads damaged objects that were uploaded again, and clears the damage records of those that are intact. Only for
 * stores without a staging area, where an upload replaces an object immediately.
 */
export async function forgetReplaced(
  { db, objects, log, metrics }: Pick<Parts, 'db' | 'objects' | 'log' | 'metrics'>,
  storeId: string,
): Promise<void> {
  if (objects.hasStaging) return;
  const damaged = [...(await damagedObjects(db, storeId))];
  if (damaged.length === 0) return;
  const again = await recentlyUploaded(db, storeId, damaged);
  const whole = await objects.intact(
    storeId,
    [...again].map((sha256) => ({ sha256, size: 0 })),
  );
  if (whole.size === 0) return;
  await forgetDamaged({ db }, storeId, [...whole]);
  log.warn({ storeId, total: whole.size }, 'lost objects were replaced by a push');
  for (const _ of whole) metrics.damageMended('file');
}
