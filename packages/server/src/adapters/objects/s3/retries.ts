import { setTimeout as sleep } from 'node:timers/promises';
import { failureOf, mayPass } from './failures.ts';

/** Of requests without the SDK, and of reading on without any progress. */
export const REPETITIONS = 6;
const FIRST_PAUSE_MS = 100;

/** Makes one request until it goes well, fails for good, or has failed too often. */
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

/** Longer each time, and never as long as others wait. */
export function pause(attempt: number): Promise<void> {
  return sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random()));
}
