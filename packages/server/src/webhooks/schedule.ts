const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

const FIRST_DELAY = 30 * SECOND;
const FACTOR = 3;
const MAX_DELAY = 8 * HOUR;

/** The last attempt is made some 40 hours after the first. */
export const MAX_ATTEMPTS = 12;

/**
 * A webhook is paused if nothing has succeeded for this long. It is less than all attempts take, so that a receiver
 * that is gone is paused before any delivery to it is given up.
 */
export const PAUSED_AFTER = 24 * HOUR;

/** How long a webhook is left alone after a failure, whatever is due to it. */
export const PAUSE_AFTER_FAILURE = 20 * SECOND;

/**
 * Returns the milliseconds from an attempt (the first is 1) to the next: three times as long each time, with a jitter
 * of 10 %, so that not everybody sends to a recovered receiver at once. `random` is from 0 up to 1.
 */
export function delayAfter(attempt: number, random = Math.random()): number {
  const delay = Math.min(FIRST_DELAY * FACTOR ** (attempt - 1), MAX_DELAY);
  return Math.round(delay * (0.9 + random / 5));
}

/** Returns the delay in milliseconds that a receiver requests by `Retry-After`, capped at our own longest delay. */
export function requestedDelay(retryAfterSeconds: number | null): number {
  return Math.min((retryAfterSeconds ?? 0) * SECOND, MAX_DELAY);
}
