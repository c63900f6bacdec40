import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import type { Parts } from '../../parts.ts';
import { hashSecret } from '../../secrets.ts';
import { type Budget, RequestBudget } from '../../service/request-budget.ts';

/** Applies the operator's general limit: requests per minute for every token, and for every address without one. */
export function limitRequests(app: FastifyInstance, { configuration, clock }: Parts): void {
  const { rateLimit } = configuration;
  if (rateLimit === null) return;
  const budgets = new RequestBudget(rateLimit, clock);

  app.addHook('onRequest', async (request, reply) => {
    const budget = takeBudget(budgets, request);
    reply.headers({
      'ratelimit-limit': budget.limit,
      'ratelimit-remaining': budget.remaining,
      'ratelimit-reset': budget.reset,
    });
    if (!budget.granted) {
      throw new ServiceError(
        'rate_limited',
        `More than ${budget.limit} requests in a minute. Try again later.`,
        {
          retryAfter: budget.reset,
        },
      );
    }
  });
}

/** A token not seen in this minute also counts against its address, or made-up tokens would escape the limit. */
function takeBudget(budgets: RequestBudget, { headers, ip }: FastifyRequest): Budget {
  const address = `address ${ip}`;
  if (headers.authorization === undefined) return budgets.take(address);
  const token = `token ${hashSecret(headers.authorization)}`;
  if (!budgets.knows(token)) {
    const ofAddress = budgets.take(address);
    if (!ofAddress.granted) return ofAddress;
  }
  return budgets.take(token);
}
