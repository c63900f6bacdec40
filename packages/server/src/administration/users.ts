import type {
  AdministeredUser,
  AdministeredUserDetail,
  AdministeredUserPage,
  PageQuery,
} from '@bindery/contract';
import type { ExpressionBuilder } from 'kysely';
import { loadOperator, lockOperator, requireRecentSignIn } from '../access/operators.ts';
import type { Viewer } from '../access/viewer.ts';
import { findAccountByName } from '../accounts/accounts.ts';
import { writeDisabledAt } from '../accounts/disable.ts';
import { listLogins } from '../accounts/logins.ts';
import { requireSomeOperator, writeOperator } from '../accounts/operators.ts';
import { signInMethodsOf } from '../accounts/sign-in-methods.ts';
import { actorOf, recordAudit } from '../audit/record.ts';
import type { DatabaseContext } from '../context.ts';
import { matchesName, pageOffset, pageSummary } from '../database/queries.ts';
import type { Database, Tables } from '../database/schema.ts';
import { deleteAccount, inTransaction, namespacesOfUser } from './delete-account.ts';
import { describeAdministeredUser } from './describe-administered-user.ts';

/** A user as addressed by an operator. */
export interface UserAddress {
  userName: string;
}

export async function listUsers(
  { db }: DatabaseContext,
  viewer: Viewer,
  readInput: () => PageQuery,
): Promise<AdministeredUserPage> {
  await loadOperator(db, viewer);
  return usersPage(db, readInput());
}

/** Returns a page of the accounts whose names or e-mail address contain the search text, ordered by user name. */
export async function usersPage(db: Database, { search, ...page }: PageQuery): Promise<AdministeredUserPage> {
  const found = db.selectFrom('accounts').where(isFound(search));
  const { total } = await found
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await found
    .selectAll()
    .orderBy('user_name')
    .limit(page.pageSize)
    .offset(pageOffset(page))
    .execute();
  return { users: rows.map(describeAdministeredUser), ...pageSummary(page, Number(total)) };
}

function isFound(search: string) {
  return ({ or }: ExpressionBuilder<Tables, 'accounts'>) =>
    or(['user_name', 'email', 'display_name'].map((column) => matchesName(column, search)));
}

export async function readUser(
  context: DatabaseContext,
  viewer: Viewer,
  { userName }: UserAddress,
): Promise<AdministeredUserDetail> {
  const { db } = context;
  await loadOperator(db, viewer);
  const account = await findAccountByName(db, userName);
  const { sessions, devices, personalTokens } = await listLogins(context, userName);
  return {
    ...describeAdministeredUser(account),
    logins: { browsers: sessions, devices, personalTokens: personalTokens.length },
    signsInBy: await signInMethodsOf(db, account.id),
    namespaces: await namespacesOfUser(context, userName),
  };
}

/**
 * Disables or enables an account, or changes whether it is an operator. Throws `last_operator` if no operator would be
 * left.
 */
export async function changeUser(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  { userName }: UserAddress,
  readInput: () => { disabled?: boolean | undefined; operator?: boolean | undefined },
): Promise<AdministeredUser> {
  await loadOperator(db, viewer);
  const { disabled, operator } = readInput();
  return db.transaction().execute(async (trx) => {
    const { token } = await lockOperator(trx, viewer);
    const { id } = await findAccountByName(trx, userName);
    if (disabled !== undefined) await writeDisabledAt(trx, id, disabled ? clock() : null);
    if (operator !== undefined) {
      requireRecentSignIn(token, clock(), 'Operators can only be appointed');
      await writeOperator(trx, id, operator);
    }
    await requireSomeOperator(trx);
    await recordAudit(trx, clock(), actorOf(viewer), {
      action: 'account.change',
      target: userName,
      details: { disabled, operator },
    });
    return describeAdministeredUser(await findAccountByName(trx, userName));
  });
}

/** Deletes an account; see `deleteAccount`. */
export async function removeUser(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  { userName }: UserAddress,
  readInput: () => { handOverTo?: string | undefined },
): Promise<void> {
  await loadOperator(db, viewer);
  const { handOverTo } = readInput();
  await inTransaction(db, async (trx) => {
    const { token } = await lockOperator(trx, viewer);
    requireRecentSignIn(token, clock(), 'Accounts can only be deleted');
    await deleteAccount(trx, { userName, handOverTo, actor: actorOf(viewer), now: clock() });
  });
}
