import type {
  AdministeredUser,
  AdministeredUserDetail,
  AdministeredUserPage,
  PageQuery,
} from '@bindery/contract';
import type { ExpressionBuilder } from 'kysely';
import { lockOperator, lockRecentOperator, requireSomeOperator } from '../access/operators.ts';
import type { Actor } from '../access/viewer.ts';
import { type AccountRow, createUser, findAccountByName, type NewUser } from '../accounts/accounts.ts';
import { listLogins } from '../accounts/logins.ts';
import {
  type AccountSignInMethods,
  disconnectAccount,
  requireAnotherSignInMethod,
  signInMethodsOf,
} from '../accounts/sign-in-methods.ts';
import { actorOf, recordAudit } from '../audit/audit-log.ts';
import type { DatabaseContext } from '../context.ts';
import { countRows, matchesName, pageOffset, pageSummary, timeOf } from '../database/queries.ts';
import type { Tables } from '../database/schema.ts';
import { namespacesOfUser } from './delete-account.ts';

/** A user as addressed by an operator. */
interface UserAddress {
  userName: string;
}

/** Creates an account with a password. Throws `invalid_parameter` and `slug_taken`. */
export async function addUser(
  context: DatabaseContext,
  actor: Actor,
  user: NewUser,
): Promise<AdministeredUser> {
  await createUser(context, user, {
    actor: actorOf(actor),
    permit: async (trx) => void (await lockOperator(trx, actor)),
  });
  return describeUser(await findAccountByName(context.db, user.userName));
}

/** Returns a page of the accounts whose names or e-mail address contain the search text, ordered by user name. */
export async function usersPage(
  { db }: DatabaseContext,
  { search, ...page }: PageQuery,
): Promise<AdministeredUserPage> {
  const found = db.selectFrom('accounts').where(isFound(search));
  const rows = await found
    .selectAll()
    .orderBy('user_name')
    .limit(page.pageSize)
    .offset(pageOffset(page))
    .execute();
  return { users: rows.map(describeUser), ...pageSummary(page, await countRows(found)) };
}

function isFound(search: string) {
  return ({ or }: ExpressionBuilder<Tables, 'accounts'>) =>
    or(['user_name', 'email', 'display_name'].map((column) => matchesName(column, search)));
}

export async function readUser(
  context: DatabaseContext,
  { userName }: UserAddress,
): Promise<AdministeredUserDetail> {
  const { db } = context;
  const account = await findAccountByName(db, userName);
  const { sessions, devices, personalTokens } = await listLogins(context, userName);
  return {
    ...describeUser(account),
    logins: { browsers: sessions, devices, personalTokens: personalTokens.length },
    signsInBy: await signInMethodsOf(db, account.id),
    namespaces: await namespacesOfUser(context, userName),
  };
}

/**
 * Disables or enables an account, or changes whether it is an operator. Nobody can sign in to a disabled account, and
 * its tokens are invalid; its data is kept, and its tokens are valid again once it is enabled. Throws `not_found`, and
 * `last_operator` if no operator would be left.
 */
export async function changeUser(
  { db, clock }: DatabaseContext,
  actor: Actor,
  { userName }: UserAddress,
  { disabled, operator }: { disabled?: boolean | undefined; operator?: boolean | undefined },
): Promise<AdministeredUser> {
  return db.transaction().execute(async (trx) => {
    const now = clock();
    if (operator === undefined) await lockOperator(trx, actor);
    else await lockRecentOperator(trx, actor, now, 'Operators can only be appointed');
    const { id } = await findAccountByName(trx, userName);
    await trx
      .updateTable('accounts')
      .set({
        ...(disabled !== undefined && { disabled_at: disabled ? now : null }),
        ...(operator !== undefined && { operator: Number(operator) }),
      })
      .where('id', '=', id)
      .execute();
    // Whoever works on the machine can lock the last operator out, and appoint another.
    if (operator === false || actor.kind !== 'machine') await requireSomeOperator(trx);
    await recordAudit(trx, now, actorOf(actor), {
      action: 'account.change',
      target: userName,
      details: { disabled, operator },
    });
    return describeUser(await findAccountByName(trx, userName));
  });
}

/**
 * Disconnects an account from its provider; see `disconnectAccount`. Operators who disconnect their own account must
 * keep another way to sign in, like everyone else.
 */
export async function disconnectUser(
  { db, clock }: DatabaseContext,
  actor: Actor,
  { userName }: UserAddress,
  { passwords }: { passwords: boolean },
): Promise<AccountSignInMethods> {
  return db.transaction().execute(async (trx) => {
    const now = clock();
    const operator = await lockRecentOperator(
      trx,
      actor,
      now,
      'Accounts can only be disconnected from their provider',
    );
    const account = await findAccountByName(trx, userName);
    const permit = (ways: AccountSignInMethods) => {
      const isOwn = operator.kind === 'account' && account.id === operator.accountId;
      if (isOwn) requireAnotherSignInMethod(ways, { passwords });
    };
    return disconnectAccount(trx, account, { actor: actorOf(actor), now, permit });
  });
}

function describeUser(row: AccountRow): AdministeredUser {
  return {
    userName: row.user_name,
    displayName: row.display_name,
    email: row.email,
    createdAt: new Date(row.created_at).toISOString(),
    disabledAt: timeOf(row.disabled_at),
    isOperator: row.operator === 1,
  };
}
