import { LIMITS } from '@bindery/contract';

/** URLs of the usual lifetime, and longer, stay the same for so many seconds. */
const STEADY = 300;

/**
 * When a download's URL expires, in seconds since 1970: no earlier than asked for, and within the longest lifetime there
 * is. It is rounded up, so that browsers that ask again in the next minutes get the URL that they have cached.
 */
export function steadyExpiry(now: number, ttlSeconds: number): number {
  const expires = now + ttlSeconds;
  const rounded = Math.ceil(expires / STEADY) * STEADY;
  const isSteady = ttlSeconds >= LIMITS.presignTtl.default && rounded - now <= LIMITS.presignTtl.max;
  return isSteady ? rounded : expires;
}
