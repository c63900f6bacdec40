import { RECENT_SIGN_IN } from '../../access/operators.ts';
import type { RequestOrigin } from '../../access/viewer.ts';
import type { AccountRow } from '../../accounts/accounts.ts';
import { OIDC_PROVIDER } from '../../accounts/sign-in-methods.ts';
import { recordAudit, visitor } from '../../audit/audit-log.ts';
import type { PeopleContext } from '../../context.ts';
import { forbidden, ServiceError } from '../../errors.ts';
import type { Identity, IdentityProvider, SetCookies } from '../ports.ts';
import { clearedCookie, pendingCookie, readPending } from '../signed-cookies.ts';
import { accountOfIdentity, connectIdentity, createAccountOf } from './accounts.ts';

const CALLBACK = '/sign-in/oidc/callback';

/** A browser that comes back from the provider. */
interface ReturningBrowser {
  /** The query string of the URL that it came back to, with its question mark. */
  search: string;
  cookieHeader: string | undefined;
  request: RequestOrigin;
  /** The account that it is signed in to, or null. */
  accountId: string | null;
}

/** Sends a browser to the provider. Throws `not_found` if there is none, and `unavailable`. */
export async function beginOidc(
  context: PeopleContext,
  { next, again, connect }: { next: string; again: boolean; connect: string | null },
): Promise<{ location: string; cookies: SetCookies }> {
  const provider = requireProvider(context);
  const { url, checks } = await provider.begin(context.publicUrl() + CALLBACK, again);
  return { location: url, cookies: [await pendingCookie(context, { checks, next, again, connect })] };
}

/**
 * Signs in a browser that comes back, or connects its identity to the account that it is signed in to. Throws
 * `forbidden` with a sentence that says what to do, and `unavailable`.
 */
export async function finishOidc(
  context: PeopleContext,
  browser: ReturningBrowser,
): Promise<{ next: string; cookies: SetCookies }> {
  const provider = requireProvider(context);
  const pending = await readPending(context, browser.cookieHeader);
  if (!pending) throw forbidden('This sign-in took too long, or began in another browser. Sign in again.');
  const { identity, authenticatedAt: claimed } = await provider.finish(
    new URL(context.publicUrl() + CALLBACK + browser.search),
    pending.checks,
  );
  const { next } = pending;
  try {
    requireAllowed(context, provider, identity);
    const authenticatedAt = authenticationTime(claimed, {
      provider: provider.name,
      again: pending.again,
      isBelieved: context.configuration.oidc?.authTime === 'optional',
      now: context.clock(),
    });
    if (pending.connect !== null) {
      if (browser.accountId !== pending.connect)
        throw forbidden('You signed out in the meantime. Sign in again.');
      await connectIdentity(context, pending.connect, identity, browser.request);
      return { next, cookies: [clearedCookie(context)] };
    }
    const account =
      (await accountOfIdentity(context.db, identity)) ??
      (await createAccountOf(context, identity, browser.request));
    requireEnabled(account);
    const cookies = await context.webSessions.signInAccount(
      account.id,
      { providerId: OIDC_PROVIDER, authenticatedAt },
      browser.request.userAgent ?? undefined,
    );
    await requireStillConnected(context, identity, account, cookies);
    await recordSignIn(context, browser, 'sign-in', account.user_name);
    return { next, cookies: [...cookies, clearedCookie(context)] };
  } catch (error) {
    const account = await accountOfIdentity(context.db, identity);
    if (error instanceof ServiceError)
      await recordSignIn(context, browser, 'sign-in.failed', account?.user_name ?? null);
    throw error;
  }
}

/**
 * Signs the browser out again if the account's logins were ended, or the account was disabled or disconnected, while it
 * was being signed in.
 */
async function requireStillConnected(
  { db, webSessions }: PeopleContext,
  identity: Identity,
  before: AccountRow,
  cookies: SetCookies,
): Promise<void> {
  const now = await accountOfIdentity(db, identity);
  if (now?.id === before.id && now.logins_ended === before.logins_ended && now.disabled_at === null) return;
  await webSessions.signOut(cookies.map((cookie) => cookie.split(';', 1)[0]).join('; '));
  throw forbidden('Your logins were ended in the meantime. Sign in again.');
}

async function recordSignIn(
  { db, clock, identityProvider }: PeopleContext,
  { request }: ReturningBrowser,
  action: 'sign-in' | 'sign-in.failed',
  userName: string | null,
): Promise<void> {
  const details = { provider: identityProvider?.name };
  await recordAudit(db, clock(), visitor(userName, request), { action, details });
}

function requireProvider({ identityProvider }: PeopleContext): IdentityProvider {
  if (identityProvider) return identityProvider;
  throw new ServiceError('not_found', 'This service has no sign-in through a provider.');
}

/**
 * Throws `forbidden` unless the operator's lists of domains and groups allow the identity. They apply to every sign-in,
 * not just to the first.
 */
function requireAllowed(
  { configuration: { oidc } }: PeopleContext,
  { name }: IdentityProvider,
  { verifiedEmail, groups }: Identity,
): void {
  if (!oidc) return;
  const domain = verifiedEmail?.split('@').at(-1)?.toLowerCase() ?? '';
  const isInDomain = oidc.domains.length === 0 || oidc.domains.includes(domain);
  const isInGroup = oidc.groups.length === 0 || groups.some((group) => oidc.groups.includes(group));
  if (isInDomain && isInGroup) return;
  throw forbidden(
    `Your account at ${name} is not allowed to sign in here. Ask the operator of this service.`,
  );
}

function requireEnabled({ disabled_at }: Pick<AccountRow, 'disabled_at'>): void {
  if (disabled_at !== null) throw forbidden('This account is disabled. Ask the operator of this service.');
}

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
function authenticationTime(
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
