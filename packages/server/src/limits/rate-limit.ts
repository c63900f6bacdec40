import type { IncomingMessage, ServerResponse } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Configuration } from '../configuration/configuration.ts';
import type { Clock, Context } from '../context.ts';
import { ServiceError, unavailable } from '../errors.ts';
import { isHealthCheck } from '../http/readiness.ts';
import { hashSecret } from '../secrets.ts';
import { callerOf } from './callers.ts';

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

/** Maximum number of callers counted in one window; further ones share a budget. */
const MAX_CALLERS = 100_000;
const OTHERS = '(others)';
const WINDOW = 60_000;

/** What a caller has left in the current minute; `reset` is the seconds until the next one. */
interface Budget {
  granted: boolean;
  limit: number;
  remaining: number;
  reset: number;
}

/** Counts requests per caller and minute, in this process. */
export class RequestBudget {
  readonly #limit: number;
  readonly #clock: Clock;
  readonly #counts = new Map<string, number>();
  #window = 0;

  constructor(limit: number, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Whether this caller was seen in the current minute. */
  knows(caller: string): boolean {
    this.#turn();
    return this.#counts.has(caller);
  }

  take(caller: string): Budget {
    this.#turn();
    const key = this.#counts.has(caller) || this.#counts.size < MAX_CALLERS ? caller : OTHERS;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return {
      granted: count <= this.#limit,
      limit: this.#limit,
      remaining: Math.max(0, this.#limit - count),
      reset: Math.ceil((WINDOW - (this.#clock() % WINDOW)) / 1_000),
    };
  }

  #turn(): void {
    const window = Math.floor(this.#clock() / WINDOW);
    if (window === this.#window) return;
    this.#window = window;
    this.#counts.clear();
  }
}

/** Seconds. */
const RETRY_AFTER = 2;

type Limits = Pick<Configuration, 'rateLimit' | 'maxTransfers' | 'maxTransfersPerAddress' | 'trustedProxies'>;

/** Limits uploads and downloads over presigned URLs, for each address and for all together. */
export class TransferLimits {
  readonly #limits: Limits;
  readonly #budgets: RequestBudget | null;
  readonly #isTrusted: (address: string, hop: number) => boolean;
  readonly #running = new Map<string, number>();
  #total = 0;

  constructor(limits: Limits, clock: Clock) {
    this.#limits = limits;
    this.#budgets = limits.rateLimit === null ? null : new RequestBudget(limits.rateLimit, clock);
    this.#isTrusted = proxyAddr.compile(limits.trustedProxies);
  }

  /**
   * Counts a transfer until its response is closed. Throws `rate_limited` for an address with too many requests in the
   * current minute, and `unavailable` while too many transfers are in progress.
   */
  begin(request: IncomingMessage, response: ServerResponse): void {
    const address = callerOf(proxyAddr(request, this.#isTrusted));
    this.#countRequest(address);
    const running = this.#running.get(address) ?? 0;
    if (running >= this.#limits.maxTransfersPerAddress)
      throw busy('Too many transfers with your address are in progress. Try again.');
    if (this.#total >= this.#limits.maxTransfers)
      throw busy('Too many transfers are in progress. Try again.');
    this.#total++;
    this.#running.set(address, running + 1);
    response.once('close', () => this.#end(address));
  }

  #countRequest(address: string): void {
    const budget = this.#budgets?.take(address);
    if (!budget || budget.granted) return;
    throw new ServiceError(
      'rate_limited',
      `More than ${budget.limit} transfers in a minute. Try again later.`,
      { retryAfter: budget.reset },
    );
  }

  #end(address: string): void {
    this.#total--;
    const left = (this.#running.get(address) ?? 1) - 1;
    if (left > 0) this.#running.set(address, left);
    else this.#running.delete(address);
  }
}

function busy(message: string): ServiceError {
  return unavailable(message, RETRY_AFTER);
}
