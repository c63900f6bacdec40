const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

const FIRST_DELAY = 30 * SECOND;
const FACTOR = 3;
const MAX_DELAY = 8 * HOUR;

/** The last attempt comes some 40 hours after the first. */
export const MAX_ATTEMPTS = 12;

/**
 * A webhook to which nothing has succeeded for this long is paused. It is less than all attempts take, so that one that
 * is gone is paused before anything to it is given up.
 */
export const PAUSED_AFTER = 24 * HOUR;

/** For which a webhook is left alone after a failure, whatever is due to it. */
export const REST_AFTER_FAILURE = 20 * SECOND;

/**
 * Milliseconds from an attempt, the first is 1, to the next: three times as long each time, a tenth more or less, so
 * that receivers that came back are not asked by everybody at once. `random` is from 0 up to 1.
 */
export function delayAfter(attempt: number, random = Math.random()): number {
  const delay = Math.min(FIRST_DELAY * FACTOR ** (attempt - 1), MAX_DELAY);
  return Math.round(delay * (0.9 + random / 5));
}

/** What a receiver asks for by `Retry-After` is heard, up to the longest delay of our own. */
export function delayAsked(retryAfterSeconds: number | null): number {
  return Math.min((retryAfterSeconds ?? 0) * SECOND, MAX_DELAY);
}
