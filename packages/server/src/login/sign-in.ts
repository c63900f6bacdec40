import type { RequestOrigin } from '../access/viewer.ts';
import type { AccountRow } from '../accounts/accounts.ts';
import { recordAudit, visitor } from '../audit/audit-log.ts';
import type { DatabaseContext, PeopleContext } from '../context.ts';
import { forbidden, ServiceError } from '../errors.ts';
import { countAttempt, refundAttempt, signInBudgets } from '../limits/attempts.ts';
import { hashSecret } from '../secrets.ts';
import type { SetCookies } from './ports.ts';
import { deviceCookie, readDeviceCookie } from './signed-cookies.ts';

/**
 * Signs a browser in. Failures are limited by address, by account and address together, and by account for all callers
 * who are not known to it; see `signInBudgets`. Throws `invalid_credentials`, which does not reveal whether the account
 * exists, `rate_limited`, or `forbidden` if the password is right but the account is disabled.
 */
export async function signIn(
  context: PeopleContext,
  { email, password, ...origin }: { email: string; password: string } & SignInOrigin,
): Promise<SetCookies> {
  const address = email.trim().toLowerCase();
  const account = hashSecret(address);
  const tries = signInBudgets({
    account,
    caller: origin.caller,
    device: await readDeviceCookie(context, account, origin.cookieHeader),
    isKnownAddress: await isKnownAddress(context, account, origin.caller),
  });
  for (const { limit, who } of tries) {
    const budget = await countAttempt(context, limit, who);
    if (!budget.granted) throw tooManyTries(budget.resetSeconds);
  }
  const before = await findAccount(context.db, address);
  const cookies = await context.webSessions.signIn(address, password, origin.request.userAgent ?? undefined);
  const recordSignIn = async (action: 'sign-in' | 'sign-in.failed') =>
    recordAudit(context.db, context.clock(), visitor(before?.user_name ?? null, origin.request), { action });
  if (!cookies) {
    await recordSignIn('sign-in.failed');
    throw wrongCredentials();
  }
  for (const { limit, who } of tries) await refundAttempt(context, limit, who);
  const refusal = refusalOf(before, await findAccount(context.db, address));
  if (refusal) {
    await context.webSessions.signOut(cookies.map((cookie) => cookie.split(';', 1)[0]).join('; '));
    await recordSignIn('sign-in.failed');
    throw refusal;
  }
  await recordSignIn('sign-in');
  await rememberAddress(context, account, origin.caller);
  return [...cookies, await deviceCookie(context, account)];
}

type SignInState = Pick<AccountRow, 'user_name' | 'disabled_at' | 'logins_ended'>;

async function findAccount(db: PeopleContext['db'], email: string): Promise<SignInState | undefined> {
  return db
    .selectFrom('accounts')
    .select(['user_name', 'disabled_at', 'logins_ended'])
    .where('email', '=', email)
    .executeTakeFirst();
}

/** Why a correct password is refused: the account is disabled, or its logins were ended since the check. */
function refusalOf(before: SignInState | undefined, now: SignInState | undefined): ServiceError | null {
  if (!now || now.logins_ended !== before?.logins_ended) return wrongCredentials();
  if (now.disabled_at !== null)
    return forbidden('This account is disabled. Ask the operator of this service.');
  return null;
}

function wrongCredentials(): ServiceError {
  return new ServiceError('invalid_credentials', 'The e-mail address and the password do not match.');
}

function tooManyTries(retryAfter: number): ServiceError {
  const minutes = Math.ceil(retryAfter / 60);
  return new ServiceError('rate_limited', `Too many attempts to sign in. Try again in ${minutes} minutes.`, {
    retryAfter,
  });
}

/** Where a sign-in comes from. */
export interface SignInOrigin {
  /** The network, see `callerOf`. */
  caller: string;
  cookieHeader: string | undefined;
  request: RequestOrigin;
}

/** Remembers that the account signed in from here. */
async function rememberAddress(
  { db, clock }: DatabaseContext,
  account: string,
  caller: string,
): Promise<void> {
  const signedInAt = clock();
  await db
    .insertInto('sign_in_origins')
    .values({ account, caller, signed_in_at: signedInAt })
    .onConflict((conflict) =>
      conflict.columns(['account', 'caller']).doUpdateSet({ signed_in_at: signedInAt }),
    )
    .execute();
}

async function isKnownAddress({ db }: DatabaseContext, account: string, caller: string): Promise<boolean> {
  const row = await db
    .selectFrom('sign_in_origins')
    .select('caller')
    .where('account', '=', account)
    .where('caller', '=', caller)
    .executeTakeFirst();
  return row !== undefined;
}
