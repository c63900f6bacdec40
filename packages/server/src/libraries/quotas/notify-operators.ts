import type { MaintenanceContext } from '../../context.ts';
import { ServiceError } from '../../errors.ts';
import { queueServiceEvent } from '../../outbox/queue-event.ts';

/** A quota that is reached repeatedly is reported once in this many milliseconds. */
const DAY = 86_400_000;

/** Runs work that may exceed a quota, and notifies operators if it does: once a day per namespace and kind of quota. */
export async function withQuotaNotifications<Result>(
  context: MaintenanceContext,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'quota_exceeded') {
      await notifyOperators(context, error.details).catch((failure: unknown) => {
        context.log.warn({ err: failure }, 'operators could not be notified of a reached quota');
      });
    }
    throw error;
  }
}

async function notifyOperators(
  { db, clock }: MaintenanceContext,
  { namespace, quota, limit, used, wanted }: ServiceError['details'],
): Promise<void> {
  const now = clock();
  await db.transaction().execute(async (trx) => {
    const told = await trx
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('event', '=', 'quota.reached')
      .where('created_at', '>', now - DAY)
      .where('payload', 'like', `%"namespace":"${namespace}","quota":"${quota}",%`)
      .limit(1)
      .executeTakeFirst();
    if (told) return;
    const data = { namespace, quota, limit, used, wanted };
    await queueServiceEvent(trx, now, { event: 'quota.reached', data });
  });
}
