import type { RequestOrigin } from '../access/viewer.ts';
import type { Context, DatabaseContext } from '../context.ts';
import { ATTEMPT_LIMITS, type AttemptLimit } from '../limits/attempts.ts';
import { readDeviceCookie } from './device-cookie.ts';

/** Where a sign-in comes from. */
export interface SignInOrigin {
  /** The network, see `callerOf`. */
  caller: string;
  cookieHeader: string | undefined;
  request: RequestOrigin;
}

/** A budget that an attempt counts against. */
export interface AttemptBudgetKey {
  limit: AttemptLimit;
  who: string;
}

/**
 * Returns the budgets that an attempt to sign in counts against. All callers who are not known to the account share one
 * budget, however many addresses they have; a device or an address that has signed in before has its own, so that
 * others cannot use it up.
 */
export async function budgetsOf(
  context: Context,
  account: string,
  { caller, cookieHeader }: Pick<SignInOrigin, 'caller' | 'cookieHeader'>,
): Promise<AttemptBudgetKey[]> {
  const device = await readDeviceCookie(context, account, cookieHeader);
  if (device !== null) return [{ limit: ATTEMPT_LIMITS.signInDevice, who: device }];
  const ofAddress = [
    { limit: ATTEMPT_LIMITS.signInAddress, who: caller },
    { limit: ATTEMPT_LIMITS.signInAccount, who: `${account} ${caller}` },
  ];
  if (await isKnownAddress(context, account, caller)) return ofAddress;
  return [...ofAddress, { limit: ATTEMPT_LIMITS.signInStrangers, who: account }];
}

/** Remembers that the account signed in from here. */
export async function rememberAddress(
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
