import type { IncomingMessage, ServerResponse } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import type { Configuration } from '../configuration/configuration.ts';
import type { Clock } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { callerOf } from './attempts.ts';
import { RequestBudget } from './rate-limit.ts';

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
  return new ServiceError('unavailable', message, { retryAfter: RETRY_AFTER });
}
