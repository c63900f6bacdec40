import type { User } from '@bindery/contract';
import type { Selectable } from 'kysely';
import type { AccountsTable, Database } from '../database/schema.ts';

export type AccountRow = Selectable<AccountsTable>;

export async function loadAccount(db: Database, id: string): Promise<AccountRow | undefined> {
  return db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
}

export function describeUser(row: AccountRow): User {
  return { id: row.id, userName: row.user_name, displayName: row.display_name, email: row.email };
}
