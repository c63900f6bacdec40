import type { Context, MaintenanceContext } from '../../context.ts';
import { repeat } from '../../process/repeat.ts';
import { deleteDeadStores } from './dead-stores.ts';
import { deleteAbandonedUploads } from './delete-abandoned.ts';
import { restoreInterrupted } from './delete-doomed.ts';
import { storesDue } from './due.ts';
import { reclaimStore } from './reclaim.ts';

export type ReclaimParts = MaintenanceContext & {
  smallThumbnails: Pick<Context['smallThumbnails'], 'deleteStore'>;
};

/** Time between two passes (milliseconds), and how many stores one pass checks. */
const INTERVAL = 5 * 60_000;
const STORES_PER_PASS = 100;

/** Periodically frees the space of unreachable objects. `stop` resolves once a running pass has ended. */
export function startReclaim(context: ReclaimParts): { stop(): Promise<void> } {
  const { log } = context;
  return repeat({ every: INTERVAL, name: 'reclaim', log }, (isStopped) => reclaim(context, isStopped));
}

/**
 * Runs one pass: abandoned uploads, interrupted purges and deletions, stores that are due. Failures are logged and
 * retried by the next pass.
 */
export async function reclaim(context: ReclaimParts, isStopped: () => boolean = () => false): Promise<void> {
  await attempt(context, 'abandoned uploads', () => deleteAbandonedUploads(context));
  await attempt(context, 'purged libraries', () => deleteDeadStores(context));
  await attempt(context, 'interrupted deletions', () => restoreInterrupted(context));
  for (const due of await storesDue(context, STORES_PER_PASS)) {
    if (isStopped()) return;
    await attempt(context, 'replaced revisions', async () => {
      const freed = await reclaimStore(context, due);
      if (freed.objects > 0) context.log.info({ storeId: due.storeId, ...freed }, 'reclaimed objects');
    });
  }
}

async function attempt(
  { log }: MaintenanceContext,
  what: string,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.error({ err: error }, `${what} could not be reclaimed`);
  }
}
