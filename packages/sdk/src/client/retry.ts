import { MIN_TRANSFER_RATE } from '@bindery/contract/wire';
import { ApiError, NetworkError, UnexpectedResponseError } from './errors.ts';

export interface RetryPolicy {
  /** Maximum number of times that a request is sent. */
  attempts: number;
  /** First pause in milliseconds; it doubles each time, with up to half of it random. */
  pause: number;
  /** Longest pause in milliseconds; a longer one, as a server's `Retry-After` may request, ends the attempts. */
  maxPause: number;
}

export const DEFAULT_RETRY: RetryPolicy = { attempts: 4, pause: 250, maxPause: 30_000 };

/** Sends a request once. */
export const NO_RETRY: RetryPolicy = { attempts: 1, pause: 0, maxPause: 0 };

/** An error worth another attempt, with the milliseconds that the server asked to wait, or null. */
export interface Retryable {
  after: number | null;
}

/**
 * 429 and the service's own `unavailable` mean that nothing was done, so any request can be retried. Other 502, 503 and
 * 504 responses and broken connections leave that open, so only requests that change nothing when repeated are retried.
 */
export function retryable(error: unknown, idempotent: boolean): Retryable | null {
  if (error instanceof ApiError) {
    const { status, code } = error;
    const undone = status === 429 || code === 'unavailable';
    const again = undone || (idempotent && [502, 503, 504].includes(status));
    return again ? { after: retryAfter(error) } : null;
  }
  if (error instanceof NetworkError && idempotent && !PERMANENT_FAILURES.has(error.reason ?? ''))
    return { after: null };
  if (error instanceof UnexpectedResponseError && error.isTransient && idempotent) return { after: null };
  return null;
}

/** Causes that another attempt a second later does not fix. */
const PERMANENT_FAILURES = new Set([
  'ENOTFOUND',
  'ERR_INVALID_URL',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'PROXY_REFUSED',
]);

/** An exchange that was too slow this many times is given up: each time costs the whole time limit. */
export const MAX_SLOW = 2;

/** Whether the other end stalled, or sent or received too slowly. */
export function isSlow(error: unknown): boolean {
  return error instanceof NetworkError && SLOW.has(error.reason ?? '');
}

const SLOW = new Set(['TRANSFER_TOO_SLOW', 'UND_ERR_HEADERS_TIMEOUT']);

/** Whether an exchange kept the minimum transfer rate until it broke, so that attempts can start over. */
export function keptMinimumRate(bytes: number, milliseconds: number): boolean {
  return bytes > 0 && bytes >= (MIN_TRANSFER_RATE * milliseconds) / 1_000;
}

/** Runs `attempt` until it succeeds, fails permanently, or the policy's attempts are used up. */
export async function withRetry<T>(
  attempt: () => Promise<T>,
  options: { policy: RetryPolicy; idempotent: boolean; signal?: AbortSignal | undefined },
): Promise<T> {
  const { policy, idempotent, signal } = options;
  for (let used = 1, slow = 0; ; used++) {
    try {
      return await attempt();
    } catch (error) {
      if (isSlow(error)) slow++;
      const more = used < policy.attempts && slow < MAX_SLOW;
      const again = more ? retryable(error, idempotent) : null;
      const pause = again?.after ?? backoff(policy.pause, used);
      if (!again || signal?.aborted || pause > policy.maxPause) throw error;
      await sleep(pause, signal);
    }
  }
}

function backoff(pause: number, used: number): number {
  const full = pause * 2 ** (used - 1);
  return full / 2 + Math.random() * (full / 2);
}

function retryAfter(error: ApiError): number | null {
  const value = error.details.retryAfterSeconds;
  return typeof value === 'number' ? value * 1_000 : null;
}

/** Waits. Rejects with the signal's reason if it is aborted. */
export function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
