import type { Database } from './schema.ts';

const KEY = 'operators_lock';

/**
 * Serialises changes that operators make to accounts, and changes to who is an operator, so that two operators cannot
 * remove each other.
 */
export async function lockOperators(trx: Database): Promise<void> {
  await trx
    .insertInto('settings')
    .values({ key: KEY, value: '' })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: '' }))
    .execute();
}
