import type { ObjectAddress } from '../../objects/store.ts';
import type { Parts } from '../../parts.ts';
import { damagedObjects, recordDamaged } from './damaged-objects.ts';

type ReportParts = Pick<Parts, 'db' | 'clock' | 'log' | 'metrics'>;

/** Logs, counts and records objects that were not known to be damaged. */
export async function reportDamaged(
  parts: ReportParts,
  storeId: string,
  hashes: readonly string[],
): Promise<void> {
  if (hashes.length === 0) return;
  const { log, metrics } = parts;
  log.error({ storeId, objects: hashes.slice(0, 10), total: hashes.length }, 'stored objects are damaged');
  for (const _ of hashes) metrics.damageFound('file');
  await recordDamaged(parts, storeId, hashes);
}

/** As `reportDamaged`, for an object that may be known to be damaged. Never throws. */
export async function reportUnreadable(
  parts: ReportParts,
  { storeId, sha256 }: ObjectAddress,
): Promise<void> {
  const { db, log } = parts;
  try {
    const known = await damagedObjects(db, storeId);
    if (!known.has(sha256)) await reportDamaged(parts, storeId, [sha256]);
  } catch (error) {
    log.error({ err: error, storeId, sha256 }, 'a damaged object could not be recorded');
  }
}
