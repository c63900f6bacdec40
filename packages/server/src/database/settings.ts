import type { Database } from './schema.ts';

/** Returns a value that all replicas share: the first caller stores what `make` returns, all others read it. */
export async function getOrCreateSetting(
  db: Database,
  key: string,
  make: () => string | Promise<string>,
): Promise<string> {
  const stored = await readSetting(db, key);
  if (stored !== null) return stored;
  await db
    .insertInto('settings')
    .values({ key, value: await make() })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  const { value } = await db
    .selectFrom('settings')
    .select('value')
    .where('key', '=', key)
    .executeTakeFirstOrThrow();
  return value;
}

export async function readSetting(db: Database, key: string): Promise<string | null> {
  const row = await db.selectFrom('settings').select('value').where('key', '=', key).executeTakeFirst();
  return row?.value ?? null;
}

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
