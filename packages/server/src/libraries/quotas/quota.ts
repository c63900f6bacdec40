import { QUOTA_AMOUNTS, type QuotaAmounts, type QuotaLimits } from '@bindery/contract';
import type { NamespaceRow } from '../../access/namespaces.ts';
import type { MaintenanceContext } from '../../context.ts';
import { ServiceError } from '../../errors.ts';
import { ATTEMPT_LIMITS, countAttempt } from '../../limits/attempts.ts';
import { queueServiceEvent } from '../../outbox/queue-event.ts';

type QuotaColumns = Pick<NamespaceRow, 'quota_libraries' | 'quota_files' | 'quota_bytes'>;

/** What a namespace may hold; null if it has no limits. */
export function quotaOf({
  quota_libraries: libraries,
  quota_files: files,
  quota_bytes: bytes,
}: QuotaColumns): QuotaLimits | null {
  return libraries === null && files === null && bytes === null ? null : { libraries, files, bytes };
}

/**
 * Throws `quota_exceeded` if a change would make a namespace hold more than it may. A change that does not increase
 * what it holds always passes, so that a namespace over its quota can still shrink.
 */
export function requireQuota(
  namespace: string,
  quota: QuotaLimits,
  { used, wanted }: { used: QuotaAmounts; wanted: QuotaAmounts },
): void {
  for (const amount of QUOTA_AMOUNTS) {
    const limit = quota[amount];
    if (limit === null || wanted[amount] <= limit || wanted[amount] <= used[amount]) continue;
    const figures = { limit, used: used[amount], wanted: wanted[amount] };
    throw new ServiceError(
      'quota_exceeded',
      `The namespace "${namespace}" is limited to ${written(limit)} ${amount} and has ${written(used[amount])}; this would ` +
        `make it ${written(wanted[amount])}. Purge libraries, delete releases, or ask an operator for more.`,
      { namespace, quota: amount, ...figures },
    );
  }
}

function written(amount: number): string {
  return String(amount).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

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
  await db.transaction().execute(async (trx) => {
    const who = `${namespace} ${quota}`;
    const { granted } = await countAttempt({ db: trx, clock }, ATTEMPT_LIMITS.quotaReached, who);
    const data = { namespace, quota, limit, used, wanted };
    if (granted) await queueServiceEvent(trx, clock(), { event: 'quota.reached', data });
  });
}
