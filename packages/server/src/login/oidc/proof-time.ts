import { RECENT_SIGN_IN } from '../../access/recent-sign-in.ts';
import { forbidden } from '../../errors.ts';

interface ProofOptions {
  /** What people call the provider. */
  provider: string;
  /** Whether the provider was told to ask the person again. */
  again: boolean;
  /** Whether a provider that tells no time is believed to have done so. */
  isBelieved: boolean;
  now: number;
}

/**
 * When somebody who comes back from a provider proved there who they are, in milliseconds since 1970; null where nobody
 * knows. `claimed` is what the provider says. Throws `forbidden` where it was asked for a recent proof and gave none.
 */
export function proofTime(
  claimed: number | null,
  { provider, again, isBelieved, now }: ProofOptions,
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
