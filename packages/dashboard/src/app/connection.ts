import { ApiError, NetworkError } from '@bindery/sdk/browser';
import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

/** Whether the service, or a proxy in front of it, was unreachable. The same request succeeds once it is back. */
export function isUnreachable(error: unknown): boolean {
  return (
    error instanceof NetworkError || (error instanceof ApiError && [502, 503, 504].includes(error.status))
  );
}

/** The error of a request that reached nobody, or a proxy that does not reach the service. */
export function unreachable(origin: string, cause?: unknown): NetworkError {
  return new NetworkError(origin, `${origin} cannot be reached.`, { reason: null, cause });
}

type Asked<Data> = { data: Data | undefined; isPlaceholderData: boolean; failureCount: number };

/**
 * What a query found, unless that is still the answer to the previous question and the service does not answer this one:
 * it must not stand below a new heading for as long as that takes.
 */
export function answerOf<Data>({ data, isPlaceholderData, failureCount }: Asked<Data>): Data | undefined {
  return isPlaceholderData && failureCount > 0 ? undefined : data;
}

const FIRST_PAUSE = 500;
const MAX_PAUSE = 4_000;

/** Milliseconds before the next attempt, after the given number of failures. */
export function retryDelayAfter(failures: number): number {
  return Math.min(FIRST_PAUSE * 2 ** failures, MAX_PAUSE);
}

/** Calls outside the query cache that are waiting for the service. */
const waiting = new Set<symbol>();
const listeners = new Set<() => void>();

/** Retries until the service is reached or `signal` is aborted. */
export async function retryWhileUnreachable<T>(attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const wait = Symbol();
  try {
    for (let failures = 0; ; failures++) {
      try {
        return await attempt();
      } catch (error) {
        if (signal?.aborted || !isUnreachable(error)) throw error;
      }
      updateWaiting(() => waiting.add(wait));
      await new Promise((resolve) => setTimeout(resolve, retryDelayAfter(failures)));
      signal?.throwIfAborted();
    }
  } finally {
    updateWaiting(() => waiting.delete(wait));
  }
}

function updateWaiting(change: () => void): void {
  change();
  for (const tell of listeners) tell();
}

/** Whether something on the page is waiting for an unreachable service. */
export function useIsUnreachable(queries: QueryClient): boolean {
  const cache = queries.getQueryCache();
  return useSyncExternalStore(
    (tell) => {
      const leave = cache.subscribe(tell);
      listeners.add(tell);
      return () => {
        leave();
        listeners.delete(tell);
      };
    },
    () =>
      waiting.size > 0 ||
      cache
        .getAll()
        .some(({ state }) => state.fetchStatus !== 'idle' && isUnreachable(state.fetchFailureReason)),
  );
}
