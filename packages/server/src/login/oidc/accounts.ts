import { NAMESPACE_SLUG } from '@bindery/contract';
import type { RequestOrigin } from '../../access/viewer.ts';
import { type AccountRow, createAccount, loadAccount, writeIdentity } from '../../accounts/accounts.ts';
import { identityKey, OIDC_PROVIDER } from '../../accounts/sign-in-methods.ts';
import { recordAudit, visitor } from '../../audit/audit-log.ts';
import type { PeopleContext } from '../../context.ts';
import { isUniqueViolation } from '../../database/failures.ts';
import type { Database } from '../../database/schema.ts';
import { forbidden, ServiceError } from '../../errors.ts';
import type { Identity } from '../ports.ts';

/** Maximum number of names tried for a new account. */
const MAX_NAMES = 50;

const MAX_NAME = 32;

/**
 * Returns the account that an identity is connected to, or that was created for it, else null. E-mail addresses do not
 * matter.
 */
export async function accountOfIdentity(db: Database, identity: Identity): Promise<AccountRow | null> {
  const found = await db
    .selectFrom('sign_in_credentials')
    .select('user_id')
    .where('provider_id', '=', OIDC_PROVIDER)
    .where('account_id', '=', identityKey(identity))
    .executeTakeFirst();
  return found ? ((await loadAccount(db, found.user_id)) ?? null) : null;
}

/**
 * Connects an identity to an account, so that it can sign in to it. Throws `forbidden` if it is connected to another
 * account.
 */
export async function connectIdentity(
  { db, clock }: PeopleContext,
  accountId: string,
  identity: Identity,
  origin: RequestOrigin,
): Promise<void> {
  const connected = await accountOfIdentity(db, identity);
  if (connected?.id === accountId) return;
  const taken = () => forbidden('That account is already connected to another account of this service.');
  if (connected) throw taken();
  const account = await loadAccount(db, accountId);
  try {
    await db.transaction().execute(async (trx) => {
      await writeIdentity(trx, accountId, { provider: OIDC_PROVIDER, key: identityKey(identity) }, clock());
      await recordAudit(trx, clock(), visitor(account?.user_name ?? null, origin), {
        action: 'account.change',
        target: account?.user_name ?? '',
        details: { connected: new URL(identity.issuer).host },
      });
    });
  } catch (error) {
    throw isUniqueViolation(error) ? taken() : error;
  }
}

/**
 * Creates an account for an identity, if the operator allows sign-ups. Throws `forbidden` if an account has the e-mail
 * address: the person who controls it at the provider is not necessarily the one who has the account here.
 */
export async function createAccountOf(
  context: PeopleContext,
  identity: Identity,
  origin: RequestOrigin,
): Promise<AccountRow> {
  const { db, configuration, identityProvider } = context;
  const provider = identityProvider?.name ?? '';
  const { verifiedEmail: email } = identity;
  if (email !== null && (await hasEmail(db, email))) {
    throw forbidden(
      `There is an account with this e-mail address. Sign in with its password and connect ${provider} on its page.`,
    );
  }
  if (!configuration.oidc?.signup) {
    throw forbidden(
      `This account of ${provider} is not connected to an account here. Ask the operator of this service.`,
    );
  }
  if (email === null) throw forbidden(`${provider} did not provide a verified e-mail address.`);
  const base = nameFor(identity, email);
  for (let n = 1; n <= MAX_NAMES; n++) {
    const userName = n === 1 ? base : `${base}-${n}`;
    try {
      const { accountId } = await createAccount(
        context,
        {
          userName,
          email,
          displayName: (identity.displayName ?? userName).slice(0, 100),
          identity: { provider: OIDC_PROVIDER, key: identityKey(identity) },
        },
        { actor: visitor(userName, origin) },
      );
      const made = await loadAccount(db, accountId);
      if (made) return made;
    } catch (error) {
      const isTaken = error instanceof ServiceError && error.code === 'slug_taken';
      if (!isTaken || (await hasEmail(db, email))) throw error;
    }
  }
  throw new ServiceError('slug_taken', 'Too many accounts here have similar names. Ask the operator.');
}

async function hasEmail(db: Database, email: string): Promise<boolean> {
  const found = await db
    .selectFrom('accounts')
    .select('id')
    .where('email', '=', email.toLowerCase())
    .executeTakeFirst();
  return found !== undefined;
}

/** Derives a user name from the person's name at the provider, as closely as the rules for names allow. */
function nameFor({ preferredName }: Identity, email: string): string {
  const wished = (preferredName ?? email).split('@', 1)[0] ?? '';
  const name = wished
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_NAME)
    .replaceAll(/^-+|-+$/g, '');
  return NAMESPACE_SLUG.pattern.test(name) ? name : 'user';
}
