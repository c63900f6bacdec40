import type { MaintenanceContext } from '../../context.ts';
import type { ObjectAddress } from '../store.ts';
import { damagedObjects, recordDamaged } from './damaged-objects.ts';

/** Logs, counts and records objects that were not known to be damaged. */
export async function reportDamaged(
  context: MaintenanceContext,
  storeId: string,
  hashes: readonly string[],
): Promise<void> {
  if (hashes.length === 0) return;
  const { log, metrics } = context;
  log.error({ storeId, objects: hashes.slice(0, 10), total: hashes.length }, 'stored objects are damaged');
  for (const _ of hashes) metrics.damageFound('file');
  await recordDamaged(context, storeId, hashes);
}

/** As `reportDamaged`, for an object that may be known to be damaged. Never throws. */
export async function reportUnreadable(
  context: MaintenanceContext,
  { storeId, sha256 }: ObjectAddress,
): Promise<void> {
  const { db, log } = context;
  try {
    const known = await damagedObjects(db, storeId);
    if (!known.has(sha256)) await reportDamaged(context, storeId, [sha256]);
  } catch (error) {
    log.error({ err: error, storeId, sha256 }, 'a damaged object could not be recorded');
  }
}
