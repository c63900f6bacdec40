import type { Parts } from '../parts.ts';
import { findAccountByName } from './account.ts';

/**
 * Holds an account still: from now on its tokens are not valid and nobody signs in to it. Its data stays, and its
 * tokens are good again once it is enabled, unless they were ended. Throws `not_found` for the user name.
 */
export async function disableUser(parts: Pick<Parts, 'db' | 'clock'>, userName: string): Promise<void> {
  await setDisabledAt(parts.db, userName, parts.clock());
}

/** Takes it back. Throws `not_found` for the user name. */
export async function enableUser({ db }: Pick<Parts, 'db'>, userName: string): Promise<void> {
  await setDisabledAt(db, userName, null);
}

async function setDisabledAt(db: Parts['db'], userName: string, disabledAt: number | null): Promise<void> {
  const { id } = await findAccountByName(db, userName);
  await db.updateTable('accounts').set({ disabled_at: disabledAt }).where('id', '=', id).execute();
}
