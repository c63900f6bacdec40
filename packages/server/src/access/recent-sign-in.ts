import { ServiceError } from '../errors.ts';
import type { BrowserTokenIdentity, ServiceTokenIdentity } from './viewer.ts';

/** For how long a sign-in counts as recent, in milliseconds. */
export const RECENT_SIGN_IN = 3_600_000;

/**
 * A stolen token is good for nothing that outlives it, unless it was stolen within the hour. `what` begins the sentence:
 * "Accounts can only be deleted". Throws `recent_sign_in_required`.
 */
export function requireRecentSignIn(
  { signedInAt }: BrowserTokenIdentity | ServiceTokenIdentity,
  now: number,
  what: string,
): void {
  if (now - signedInAt <= RECENT_SIGN_IN) return;
  throw new ServiceError(
    'recent_sign_in_required',
    `${what} within an hour of signing in. Sign in again with "bindery login", then retry.`,
  );
}
