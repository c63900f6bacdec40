import { ServiceError } from '../../errors.ts';
import { queueServiceEvent } from '../../outbox/queue-event.ts';
import type { Parts } from '../../parts.ts';

/** A quota that is reached repeatedly is reported once in this many milliseconds. */
const DAY = 86_400_000;

type NotifyParts = Pick<Parts, 'db' | 'clock' | 'log'>;

/** Runs work that may exceed a quota, and notifies operators if it does: once a day per namespace and kind of quota. */
export async function withQuotaNotifications<Result>(
  parts: NotifyParts,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'quota_exceeded') {
      await notifyOperators(parts, error.details).catch((failure: unknown) => {
        parts.log.warn({ err: failure }, 'operators could not be notified of a reached quota');
      });
    }
    throw error;
  }
}

async function notifyOperators(
  { db, clock }: NotifyParts,
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
