import { hashSecret } from '../accounts/secrets.ts';
import { ServiceError } from '../errors.ts';
import type { Parts } from '../parts.ts';
import { ATTEMPT_LIMITS, countAttempt, forgiveAttempt } from './attempts.ts';
import type { SetCookies } from './web-sessions.ts';

/**
 * Signs a browser in. Failures are limited by address, and by address and account together, so that nobody can lock
 * others out. Throws `invalid_credentials`, which does not tell whether the account exists, or `rate_limited`.
 */
export async function signIn(
  parts: Pick<Parts, 'db' | 'clock' | 'webSessions'>,
  { email, password, caller }: { email: string; password: string; caller: string },
): Promise<SetCookies> {
  const account = email.trim().toLowerCase();
  const tries = [
    { limit: ATTEMPT_LIMITS.signInAddress, who: caller },
    { limit: ATTEMPT_LIMITS.signInAccount, who: `${hashSecret(account)} ${caller}` },
  ];
  for (const { limit, who } of tries) {
    const budget = await countAttempt(parts, limit, who);
    if (!budget.granted) throw tooManyTries(budget.resetSeconds);
  }
  const cookies = await parts.webSessions.signIn(account, password);
  if (!cookies) {
    throw new ServiceError('invalid_credentials', 'The e-mail address and the password do not match.');
  }
  for (const { limit, who } of tries) await forgiveAttempt(parts, limit, who);
  return cookies;
}

function tooManyTries(retryAfter: number): ServiceError {
  const minutes = Math.ceil(retryAfter / 60);
  return new ServiceError('rate_limited', `Too many attempts to sign in. Try again in ${minutes} minutes.`, {
    retryAfter,
  });
}
