import { MACHINE, recordAudit } from '../audit/record.ts';
import type { DatabaseContext } from '../context.ts';
import type { Database } from '../database/schema.ts';
import { lockOperators } from '../database/settings.ts';
import { ServiceError } from '../errors.ts';
import { findAccountByName } from './accounts.ts';

/**
 * Makes an account an operator, or revokes that. Throws `not_found` for an unknown user name, `last_operator` if no
 * operator would be left.
 */
export async function setOperator(
  { db, clock }: DatabaseContext,
  userName: string,
  isOperator: boolean,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockOperators(trx);
    const { id } = await findAccountByName(trx, userName);
    await writeOperator(trx, id, isOperator);
    if (!isOperator) await requireSomeOperator(trx);
    const line = { action: 'operator.set', target: userName, details: { operator: isOperator } } as const;
    await recordAudit(trx, clock(), MACHINE, line);
  });
}

export async function writeOperator(trx: Database, accountId: string, isOperator: boolean): Promise<void> {
  await trx
    .updateTable('accounts')
    .set({ operator: Number(isOperator) })
    .where('id', '=', accountId)
    .execute();
}

/** Throws `last_operator`, rolling back the transaction, if no operator who can sign in is left. */
export async function requireSomeOperator(trx: Database): Promise<void> {
  const left = await trx
    .selectFrom('accounts')
    .select('id')
    .where('operator', '=', 1)
    .where('disabled_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  if (left) return;
  throw new ServiceError(
    'last_operator',
    'The service needs at least one operator. Appoint another one first.',
  );
}
