import type { User } from '@bindery/contract';
import type { Selectable } from 'kysely';
import type { Database } from '../database/schema.ts';
import type { AccountsTable } from '../database/tables/accounts.ts';
import { ServiceError } from '../errors.ts';

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
