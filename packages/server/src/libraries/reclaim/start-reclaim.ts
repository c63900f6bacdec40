import type { Parts } from '../../parts.ts';
import { repeat } from '../../service/repeat.ts';
import { deleteAbandonedUploads } from '../uploads/delete-abandoned.ts';
import { deleteDeadStores } from './dead-stores.ts';
import { restoreInterrupted } from './delete-doomed.ts';
import { storesDue } from './due.ts';
import { reclaimStore } from './reclaim-store.ts';

export type ReclaimParts = Pick<
  Parts,
  'db' | 'objects' | 'clock' | 'configuration' | 'log' | 'storeLocks' | 'indexRepairer'
> & { smallThumbnails: Pick<Parts['smallThumbnails'], 'deleteStore'> };

/** Time between two passes (milliseconds), and how many stores one pass checks. */
const INTERVAL = 5 * 60_000;
const STORES_PER_PASS = 100;

/** Periodically frees the space of unreachable objects. `stop` resolves once a running pass has ended. */
export function startReclaim(parts: ReclaimParts): { stop(): Promise<void> } {
  const { log } = parts;
  return repeat({ every: INTERVAL, name: 'reclaim', log }, (isStopped) => reclaim(parts, isStopped));
}

/**
 * Runs one pass: abandoned uploads, interrupted purges and deletions, stores that are due. Failures are logged and
 * retried by the next pass.
 */
export async function reclaim(parts: ReclaimParts, isStopped: () => boolean = () => false): Promise<void> {
  await attempt(parts, 'abandoned uploads', () => deleteAbandonedUploads(parts));
  await attempt(parts, 'purged libraries', () => deleteDeadStores(parts));
  await attempt(parts, 'interrupted deletions', () => restoreInterrupted(parts));
  for (const due of await storesDue(parts, STORES_PER_PASS)) {
    if (isStopped()) return;
    await attempt(parts, 'replaced revisions', async () => {
      const freed = await reclaimStore(parts, due);
      if (freed.objects > 0) parts.log.info({ storeId: due.storeId, ...freed }, 'reclaimed objects');
    });
  }
}

async function attempt(
  { log }: Pick<Parts, 'log'>,
  what: string,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.error({ err: error }, `${what} could not be reclaimed`);
  }
}
