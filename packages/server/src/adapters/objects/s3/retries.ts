import { setTimeout as sleep } from 'node:timers/promises';
import { failureOf, mayPass } from './failures.ts';

/** Attempts at a request without the SDK, and at resuming a read without any progress. */
export const REPETITIONS = 6;
const FIRST_PAUSE_MS = 100;

/** Repeats a request until it succeeds, fails permanently, or has failed `times` times. */
export async function repeated<Answer>(send: () => Promise<Answer>, times = REPETITIONS): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (attempt >= times || !mayPass(error)) throw failureOf(error);
      await pause(attempt);
    }
  }
}

/** Waits longer after each attempt, with random jitter so that clients do not retry in step. */
export function pause(attempt: number): Promise<void> {
  return sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random()));
}
