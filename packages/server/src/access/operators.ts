import type { Database } from '../database/schema.ts';
import { lockOperators } from '../database/settings.ts';
import { notFound, ServiceError } from '../errors.ts';
import type { AccountViewer, BrowserTokenIdentity, ServiceTokenIdentity, Viewer } from './viewer.ts';

/** An operator who signed in; a personal access token cannot administer the service. */
type OperatorViewer = AccountViewer & { token: BrowserTokenIdentity | ServiceTokenIdentity };

/** Returns the viewer as an operator. Throws `not_found` for everyone else, with or without a token. */
export async function loadOperator(db: Database, viewer: Viewer): Promise<OperatorViewer> {
  if (viewer.kind !== 'account') throw notFound();
  const { token } = viewer;
  if (token.kind === 'personal') throw notFound();
  const found = await db
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', viewer.accountId)
    .where('operator', '=', 1)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  if (!found) throw notFound();
  return { ...viewer, token };
}

/** Like `loadOperator`, but prevents changes to who is an operator until the transaction ends. */
export async function lockOperator(trx: Database, viewer: Viewer): Promise<OperatorViewer> {
  await lockOperators(trx);
  return loadOperator(trx, viewer);
}

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
