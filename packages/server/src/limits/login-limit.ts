import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DatabaseContext } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { type AttemptBudget, type AttemptLimit, countAttempt } from './attempts.ts';
import { callerOf } from './caller.ts';

/** How many callers with a used-up budget are remembered, to reject them without querying the database. */
const MAX_REMEMBERED = 10_000;

/** Counts a request against a login limit, by address, and reports the budget in response headers. */
export type LimitLogin = (request: FastifyRequest, reply: FastifyReply, limit: AttemptLimit) => Promise<void>;

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
