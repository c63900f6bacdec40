import { setTimeout as sleep } from 'node:timers/promises';
import { failureOf, isRetryable } from './failures.ts';

/** Attempts at a request without the SDK, and at resuming a read without any progress. */
export const MAX_ATTEMPTS = 6;
const FIRST_PAUSE_MS = 100;

/** Repeats a request until it succeeds, fails permanently, or has failed `times` times. */
export async function withRetries<Answer>(
  send: () => Promise<Answer>,
  times = MAX_ATTEMPTS,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (attempt >= times || !isRetryable(error)) throw failureOf(error);
      await backOff(attempt);
    }
  }
}

/** Waits longer after each attempt, with random jitter so that clients do not retry in step. */
export function backOff(attempt: number): Promise<void> {
  return sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random()));
}
