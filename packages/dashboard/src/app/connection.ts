import { ApiError, NetworkError } from '@bindery/sdk/browser';
import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

/** Whether the service, or what stands before it, was not there: the same again succeeds once it is. */
export function isUnreachable(error: unknown): boolean {
  return (
    error instanceof NetworkError || (error instanceof ApiError && [502, 503, 504].includes(error.status))
  );
}

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 4_000;

/** Milliseconds before the next try, after so many. */
export function pauseAfter(failures: number): number {
  return Math.min(FIRST_PAUSE * 2 ** failures, LONGEST_PAUSE);
}

/** What waits for the service outside of the cache of queries. */
const waiting = new Set<symbol>();
const listeners = new Set<() => void>();

/** Tries until the service is reached or nobody wants it any more. */
export async function untilReached<T>(attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const wait = Symbol();
  try {
    for (let failures = 0; ; failures++) {
      try {
        return await attempt();
      } catch (error) {
        if (signal?.aborted || !isUnreachable(error)) throw error;
      }
      note(() => waiting.add(wait));
      await new Promise((resolve) => setTimeout(resolve, pauseAfter(failures)));
      signal?.throwIfAborted();
    }
  } finally {
    note(() => waiting.delete(wait));
  }
}

function note(change: () => void): void {
  change();
  for (const tell of listeners) tell();
}

/** Whether something on the page waits for a service that is not there. */
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
