import { randomUUID } from 'node:crypto';
import { type User, userName as userNameRule } from '@bindery/contract';
import type { Selectable, Transaction } from 'kysely';
import { z } from 'zod';
import { MACHINE } from '../access/viewer.ts';
import { type AuditActor, actorOf, recordAudit } from '../audit/audit-log.ts';
import type { DatabaseContext } from '../context.ts';
import { isUniqueViolation } from '../database/failures.ts';
import type { Database, Tables } from '../database/schema.ts';
import type { AccountsTable } from '../database/tables/accounts.ts';
import { invalidParameter, ServiceError } from '../errors.ts';
import { hashPassword, requireAcceptablePassword } from './password.ts';

export type AccountRow = Selectable<AccountsTable>;

export async function loadAccount(db: Database, id: string): Promise<AccountRow | undefined> {
  return db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns the account with the user name that an operator gave. Throws `not_found`. */
export async function findAccountByName(db: Database, userName: string): Promise<AccountRow> {
  const row = await db
    .selectFrom('accounts')
    .selectAll()
    .where('user_name', '=', userName)
    .executeTakeFirst();
  if (row) return row;
  throw new ServiceError('not_found', `There is no account "${userName}".`);
}

/** Returns the account, locked until the transaction ends, which serialises starting a login and ending all logins. */
export async function lockAccount(trx: Database, id: string): Promise<AccountRow | undefined> {
  return trx
    .updateTable('accounts')
    .set((eb) => ({ logins_ended: eb.ref('logins_ended') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export function describeUser(row: AccountRow): User {
  return { id: row.id, userName: row.user_name, displayName: row.display_name, email: row.email };
}

interface NewAccount {
  userName: string;
  displayName: string;
  email: string;
  /** From `hashPassword`; without it, nobody can sign in to the account with a password. */
  passwordHash?: string;
  /** The identity that signs in to it through a provider. */
  identity?: ExternalIdentity;
}

/** A person as identified by a sign-in provider. */
interface ExternalIdentity {
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

interface CreatedAccount {
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
  { operator = false, actor = actorOf(MACHINE), permit = async () => {} }: AccountOptions = {},
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

/** What a person, or the operator on their behalf, fills in. */
export interface NewUser {
  userName: string;
  email: string;
  password: string;
  /** Default: the user name. */
  displayName?: string | undefined;
}

const emailRule = z.email({ error: 'an e-mail address' }).max(254);
const displayNameRule = z.string().trim().min(1).max(100);

/**
 * Creates an account that can sign in with its password. Throws `invalid_parameter` naming the field, or
 * `slug_taken`. `options`: see `createAccount`.
 */
export async function createUser(
  context: DatabaseContext,
  user: NewUser,
  options?: AccountOptions,
): Promise<CreatedAccount> {
  const userName = check('userName', userNameRule, user.userName);
  const email = check('email', emailRule, user.email.trim());
  const displayName = check('displayName', displayNameRule, user.displayName?.trim() || userName);
  requireAcceptablePassword(user.password);
  const passwordHash = await hashPassword(user.password);
  return createAccount(context, { userName, email, displayName, passwordHash }, options);
}

function check(name: string, rule: z.ZodType<string>, value: string): string {
  const result = rule.safeParse(value);
  if (result.success) return result.data;
  const received = value.length > 80 ? `${value.slice(0, 80)}…` : value;
  throw invalidParameter(name, `${name}: ${result.error.issues[0]?.message} (received "${received}").`);
}
