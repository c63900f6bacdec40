import { RECENT_SIGN_IN } from '../../access/recent-sign-in.ts';
import { forbidden } from '../../errors.ts';

interface AuthenticationTimeOptions {
  /** The provider's name as shown to people. */
  provider: string;
  /** Whether the provider was told to authenticate the person again. */
  again: boolean;
  /** Whether a provider that reports no time is trusted to have done so. */
  isBelieved: boolean;
  now: number;
}

/**
 * Returns when a person who comes back from a provider authenticated there, in milliseconds since 1970; null if
 * unknown. `claimed` is what the provider reports. Throws `forbidden` if a recent authentication was requested and
 * there is no evidence of one.
 */
export function authenticationTime(
  claimed: number | null,
  { provider, again, isBelieved, now }: AuthenticationTimeOptions,
): number | null {
  if (claimed === null) {
    if (!again) return null;
    if (isBelieved) return now;
    throw forbidden(
      `${provider} does not report when you last authenticated, so this sign-in cannot count as a recent one. ` +
        'Ask the operator of this service.',
    );
  }
  if (again && now - claimed > RECENT_SIGN_IN) {
    throw forbidden(`${provider} did not ask you to authenticate again. Sign out there, then sign in again.`);
  }
  return Math.min(claimed, now);
}
