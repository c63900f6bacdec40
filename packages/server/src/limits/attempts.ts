import type { FastifyReply, FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import type { DatabaseContext } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { callerOf } from './callers.ts';

/** How often something can be attempted within a time window (seconds). */
export interface AttemptLimit {
  name: string;
  max: number;
  windowSeconds: number;
}

/** How much of a limit is left. `resetSeconds`: seconds until the window ends. */
interface AttemptBudget {
  granted: boolean;
  limit: number;
  remaining: number;
  resetSeconds: number;
}

/** Limits on what can be guessed or flooded. Counted in the database, across all replicas, by address or by account. */
export const ATTEMPT_LIMITS = {
  deviceStart: { name: 'device-start', max: 60, windowSeconds: 60 },
  devicePoll: { name: 'device-poll', max: 600, windowSeconds: 60 },
  tokens: { name: 'tokens', max: 120, windowSeconds: 60 },
  signInAddress: { name: 'sign-in-address', max: 50, windowSeconds: 900 },
  signInAccount: { name: 'sign-in-account', max: 10, windowSeconds: 900 },
  signInDevice: { name: 'sign-in-device', max: 10, windowSeconds: 900 },
  signInStrangers: { name: 'sign-in-strangers', max: 30, windowSeconds: 3_600 },
  oidcBegin: { name: 'oidc-begin', max: 600, windowSeconds: 900 },
  oidcReturn: { name: 'oidc', max: 60, windowSeconds: 900 },
  signUp: { name: 'sign-up', max: 20, windowSeconds: 3_600 },
  userCodeAddress: { name: 'user-code-address', max: 30, windowSeconds: 900 },
  changePassword: { name: 'change-password', max: 10, windowSeconds: 900 },
  webhookPing: { name: 'webhook-ping', max: 30, windowSeconds: 60 },
  /** To report a quota to operators. */
  quotaReached: { name: 'quota-reached', max: 1, windowSeconds: 86_400 },
  userCodeAccount: { name: 'user-code-account', max: 10, windowSeconds: 900 },
} as const satisfies Record<string, AttemptLimit>;

/** A budget that an attempt counts against. */
interface AttemptBudgetKey {
  limit: AttemptLimit;
  who: string;
}

/**
 * Returns the budgets that an attempt to sign in counts against. All callers who are not known to the account share one
 * budget, however many addresses they have; a device or an address that has signed in before has its own, so that
 * others cannot use it up.
 */
export function signInBudgets({
  account,
  caller,
  device,
  isKnownAddress,
}: {
  account: string;
  caller: string;
  /** The device, if it has signed in to the account before. */
  device: string | null;
  isKnownAddress: boolean;
}): AttemptBudgetKey[] {
  if (device !== null) return [{ limit: ATTEMPT_LIMITS.signInDevice, who: device }];
  const ofAddress = [
    { limit: ATTEMPT_LIMITS.signInAddress, who: caller },
    { limit: ATTEMPT_LIMITS.signInAccount, who: `${account} ${caller}` },
  ];
  if (isKnownAddress) return ofAddress;
  return [...ofAddress, { limit: ATTEMPT_LIMITS.signInStrangers, who: account }];
}

/** Counts an attempt by `who` and returns whether it is granted. Concurrent attempts are each counted. */
export async function countAttempt(
  { db, clock }: DatabaseContext,
  limit: AttemptLimit,
  who: string,
): Promise<AttemptBudget> {
  const now = clock();
  const expired = now - limit.windowSeconds * 1_000;
  const ahead = now + limit.windowSeconds * 1_000;
  const { count, window_started_at: startedAt } = await db
    .insertInto('attempts')
    .values({ key: keyOf(limit, who), window_started_at: now, count: 1 })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((eb) => ({
        window_started_at: eb
          .case()
          .when(isOver(expired, ahead))
          .then(now)
          .else(eb.ref('attempts.window_started_at'))
          .end(),
        count: eb
          .case()
          .when(isOver(expired, ahead))
          .then(1)
          .else(eb('attempts.count', '+', 1))
          .end(),
      })),
    )
    .returning(['count', 'window_started_at'])
    .executeTakeFirstOrThrow();
  return {
    granted: count <= limit.max,
    limit: limit.max,
    remaining: Math.max(0, limit.max - count),
    resetSeconds: Math.max(1, Math.ceil((startedAt - expired) / 1_000)),
  };
}

/**
 * Whether a window is over: it began at least its length ago, or more than that in the future, by a clock that was
 * ahead; otherwise its caller would be locked out until the other clocks have caught up. Smaller differences between
 * the clocks of processes are tolerated.
 */
function isOver(expired: number, ahead: number) {
  const startedAt = sql.ref('attempts.window_started_at');
  return sql<boolean>`${startedAt} <= ${expired} or ${startedAt} > ${ahead}`;
}

/** Uncounts an attempt that succeeded. */
export async function refundAttempt(
  { db }: DatabaseContext,
  limit: AttemptLimit,
  who: string,
): Promise<void> {
  await db
    .updateTable('attempts')
    .set((eb) => ({ count: eb('count', '-', 1) }))
    .where('key', '=', keyOf(limit, who))
    .where('count', '>', 0)
    .execute();
}

function keyOf({ name }: AttemptLimit, who: string): string {
  return `${name} ${who}`;
}

/** How many callers with a used-up budget are remembered, to reject them without querying the database. */
const MAX_REMEMBERED = 10_000;

/** Counts a request against a login limit, by address, and reports the budget in response headers. */
type LimitLogin = (request: FastifyRequest, reply: FastifyReply, limit: AttemptLimit) => Promise<void>;

export function createLoginLimit(context: DatabaseContext): LimitLogin {
  const usedUp = new Map<string, { until: number; limit: number }>();

  return async function limitLogin(request, reply, limit) {
    const caller = callerOf(request.ip);
    const key = `${limit.name} ${caller}`;
    const budget = remembered(key) ?? (await countAttempt(context, limit, caller));
    if (!budget.granted) remember(key, budget);
    reply.headers({
      'ratelimit-limit': budget.limit,
      'ratelimit-remaining': budget.remaining,
      'ratelimit-reset': budget.resetSeconds,
    });
    if (budget.granted) return;
    throw new ServiceError('rate_limited', 'Too many attempts from your address. Try again later.', {
      retryAfter: budget.resetSeconds,
    });
  };

  function remembered(key: string): AttemptBudget | undefined {
    const entry = usedUp.get(key);
    if (!entry) return undefined;
    const left = entry.until - context.clock();
    if (left > 0) {
      return { granted: false, limit: entry.limit, remaining: 0, resetSeconds: Math.ceil(left / 1_000) };
    }
    usedUp.delete(key);
    return undefined;
  }

  function remember(key: string, { limit, resetSeconds }: AttemptBudget): void {
    if (usedUp.has(key)) return;
    const oldest = usedUp.size >= MAX_REMEMBERED ? usedUp.keys().next().value : undefined;
    if (oldest !== undefined) usedUp.delete(oldest);
    usedUp.set(key, { until: context.clock() + resetSeconds * 1_000, limit });
  }
}
