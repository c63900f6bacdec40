import type { Database } from './schema.ts';

const KEY = 'operators_lock';

/**
 * Those who change accounts as operators, or which operators there are, do so one after another: two cannot remove each
 * other.
 */
export async function lockOperators(trx: Database): Promise<void> {
  await trx
    .insertInto('settings')
    .values({ key: KEY, value: '' })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: '' }))
    .execute();
}
