import type { Database } from '../database/schema.ts';
import { ServiceError } from '../errors.ts';
import type { Parts } from '../parts.ts';
import { findAccountByName } from './account.ts';

/** The row that those lock who change which operators there are. */
const LOCK = 'operators_lock';

/**
 * Makes an account an operator, or takes that away. Throws `not_found` for the user name, `last_operator` where nobody
 * would be left.
 */
export async function setOperator(
  { db }: Pick<Parts, 'db'>,
  userName: string,
  isOperator: boolean,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockOperators(trx);
    const { id } = await findAccountByName(trx, userName);
    await trx
      .updateTable('accounts')
      .set({ operator: Number(isOperator) })
      .where('id', '=', id)
      .execute();
    if (!isOperator) await requireOperator(trx);
  });
}

/** Those who change which operators there are do so one after another: two cannot remove each other. */
export async function lockOperators(trx: Database): Promise<void> {
  await trx
    .insertInto('settings')
    .values({ key: LOCK, value: '' })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: '' }))
    .execute();
}

/** Rolls back a change after which no operator is left who can sign in. */
export async function requireOperator(trx: Database): Promise<void> {
  const left = await trx
    .selectFrom('accounts')
    .select('id')
    .where('operator', '=', 1)
    .where('disabled_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  if (left) return;
  throw new ServiceError('last_operator', 'The service must keep at least one operator. Name another first.');
}
