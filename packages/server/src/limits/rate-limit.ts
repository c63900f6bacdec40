import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { isHealthCheck } from '../http/health-checks.ts';
import { hashSecret } from '../secrets.ts';
import { type Budget, RequestBudget } from './request-budget.ts';

/** Health checks per minute and address: several load balancers behind one address, each asking every second. */
const HEALTH_CHECKS = 600;

/**
 * Applies the operator's general limit: requests per minute for every token, and for every address without one. Health
 * checks are counted apart, so that other requests of the same address never make a load balancer turn away.
 */
export function limitRequests(app: FastifyInstance, { configuration, clock }: Context): void {
  const { rateLimit } = configuration;
  if (rateLimit === null) return;
  const budgets = new RequestBudget(rateLimit, clock);
  const healthChecks = new RequestBudget(HEALTH_CHECKS, clock);

  app.addHook('onRequest', async (request, reply) => {
    const budget = isHealthCheck(request)
      ? healthChecks.take(addressOf(request))
      : takeBudget(budgets, request);
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
function takeBudget(budgets: RequestBudget, request: FastifyRequest): Budget {
  const { headers } = request;
  const address = addressOf(request);
  if (headers.authorization === undefined) return budgets.take(address);
  const token = `token ${hashSecret(headers.authorization)}`;
  if (!budgets.knows(token)) {
    const ofAddress = budgets.take(address);
    if (!ofAddress.granted) return ofAddress;
  }
  return budgets.take(token);
}

function addressOf({ ip }: FastifyRequest): string {
  return `address ${ip}`;
}
