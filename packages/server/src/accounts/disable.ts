import { MACHINE, recordAudit } from '../audit/record.ts';
import type { DatabaseContext } from '../context.ts';
import type { Database } from '../database/schema.ts';
import { lockOperators } from '../database/settings.ts';
import { findAccountByName } from './accounts.ts';

/**
 * Disables an account: its tokens become invalid and nobody can sign in to it. Its data is kept. Once it is enabled
 * again, its tokens are valid again unless they were revoked. Throws `not_found` for an unknown user name.
 */
export async function disableUser(context: DatabaseContext, userName: string): Promise<void> {
  await setDisabled(context, userName, true);
}

/** Enables an account again. Throws `not_found` for an unknown user name. */
export async function enableUser(context: DatabaseContext, userName: string): Promise<void> {
  await setDisabled(context, userName, false);
}

async function setDisabled(
  { db, clock }: DatabaseContext,
  userName: string,
  disabled: boolean,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockOperators(trx);
    const { id } = await findAccountByName(trx, userName);
    await writeDisabledAt(trx, id, disabled ? clock() : null);
    const line = { action: 'account.change', target: userName, details: { disabled } } as const;
    await recordAudit(trx, clock(), MACHINE, line);
  });
}

/** Disables an account as part of a transaction; null enables it. */
export async function writeDisabledAt(
  trx: Database,
  accountId: string,
  disabledAt: number | null,
): Promise<void> {
  await trx.updateTable('accounts').set({ disabled_at: disabledAt }).where('id', '=', accountId).execute();
}
