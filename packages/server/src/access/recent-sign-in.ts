import { ServiceError } from '../errors.ts';
import type { BrowserTokenIdentity, ServiceTokenIdentity } from './viewer.ts';

/** How long a sign-in counts as recent, in milliseconds. */
export const RECENT_SIGN_IN = 3_600_000;

/**
 * Guards actions whose effects outlive the token, so that a stolen token can perform them only within an hour of its
 * sign-in. `what` begins the error's sentence: "Accounts can only be deleted". Throws `recent_sign_in_required`.
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
