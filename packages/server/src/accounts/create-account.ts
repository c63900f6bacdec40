import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { AuditActor } from '../audit/actor.ts';
import { MACHINE } from '../audit/actor.ts';
import { recordAudit } from '../audit/record.ts';
import type { DatabaseContext } from '../context.ts';
import { isUniqueViolation } from '../database/failures.ts';
import type { Database, Tables } from '../database/schema.ts';
import { ServiceError } from '../errors.ts';

export interface NewAccount {
  userName: string;
  displayName: string;
  email: string;
  /** From `hashPassword`; without it, nobody can sign in to the account with a password. */
  passwordHash?: string;
  /** The identity that signs in to it through a provider. */
  identity?: ExternalIdentity;
}

/** A person as identified by a sign-in provider. */
export interface ExternalIdentity {
  provider: string;
  key: string;
}

/** How an account is created, besides what the person filled in. */
export interface AccountOptions {
  /** Whether it is an operator of the service; `if-first`: if it is the only account. Default: false. */
  operator?: boolean | 'if-first';
  /** Who creates it. Default: the operator on the service's own machine. */
  actor?: AuditActor;
  /** Runs first in the same transaction, and throws if the account must not be created. */
  permit?(trx: Transaction<Tables>): Promise<void>;
}

export interface CreatedAccount {
  accountId: string;
  namespaceId: string;
}

/** The provider id under which the sign-in library looks for passwords. */
export const PASSWORD_PROVIDER = 'credential';

/**
 * Creates an account with its personal namespace and its password, atomically. Throws `slug_taken` if the name or the
 * e-mail address is in use.
 */
export async function createAccount(
  { db, clock }: DatabaseContext,
  account: NewAccount,
  { operator = false, actor = MACHINE, permit = async () => {} }: AccountOptions = {},
): Promise<CreatedAccount> {
  const made = { accountId: randomUUID(), namespaceId: randomUUID() };
  try {
    await db.transaction().execute(async (trx) => {
      await permit(trx);
      const isOperator = operator === 'if-first' ? !(await hasAccounts(trx)) : operator;
      await insertAccount(trx, account, { ...made, isOperator }, clock());
      const line = { target: account.userName, details: { operator: isOperator } };
      await recordAudit(trx, clock(), actor, { action: 'account.create', ...line });
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new ServiceError('slug_taken', `The name "${account.userName}" or the e-mail address is taken.`);
  }
  return made;
}

async function insertAccount(
  trx: Transaction<Tables>,
  { userName, displayName, email, passwordHash, identity }: NewAccount,
  { accountId, namespaceId, isOperator }: CreatedAccount & { isOperator: boolean },
  now: number,
): Promise<void> {
  await trx
    .insertInto('accounts')
    .values({
      id: accountId,
      user_name: userName,
      display_name: displayName,
      email: email.toLowerCase(),
      created_at: now,
      operator: Number(isOperator),
    })
    .execute();
  await trx
    .insertInto('namespaces')
    .values({
      id: namespaceId,
      slug: userName,
      display_name: displayName,
      kind: 'personal',
      created_at: now,
    })
    .execute();
  await trx
    .insertInto('memberships')
    .values({ namespace_id: namespaceId, account_id: accountId, role: 'owner' })
    .execute();
  if (passwordHash !== undefined) await writePassword(trx, accountId, passwordHash, now);
  if (identity !== undefined) await writeIdentity(trx, accountId, identity, now);
}

/** Whether anybody has an account yet. */
export async function hasAccounts(db: Pick<Database, 'selectFrom'>): Promise<boolean> {
  const row = await db.selectFrom('accounts').select('id').limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Sets or replaces an account's password. */
export async function writePassword(
  trx: Transaction<Tables>,
  accountId: string,
  passwordHash: string,
  now: number,
): Promise<void> {
  const credential = credentialOf(accountId, { provider: PASSWORD_PROVIDER, key: accountId }, now);
  await trx
    .insertInto('sign_in_credentials')
    .values({ ...credential, password: passwordHash })
    .onConflict((conflict) =>
      conflict
        .columns(['provider_id', 'account_id'])
        .doUpdateSet({ password: passwordHash, updated_at: credential.updated_at }),
    )
    .execute();
}

/**
 * Lets a person sign in to an account through a provider. Throws a database error if the identity belongs to another
 * account.
 */
export async function writeIdentity(
  trx: Transaction<Tables>,
  accountId: string,
  identity: ExternalIdentity,
  now: number,
): Promise<void> {
  await trx
    .insertInto('sign_in_credentials')
    .values(credentialOf(accountId, identity, now))
    .execute();
}

function credentialOf(accountId: string, { provider, key }: ExternalIdentity, now: number) {
  const time = new Date(now).toISOString();
  return {
    id: randomUUID(),
    user_id: accountId,
    provider_id: provider,
    account_id: key,
    created_at: time,
    updated_at: time,
  };
}
