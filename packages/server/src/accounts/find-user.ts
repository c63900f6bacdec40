import type { User } from '@bindery/contract';
import type { Parts } from '../parts.ts';

/** An account as its owner sees it. */
export async function findUser({ db }: Pick<Parts, 'db'>, accountId: string): Promise<User | null> {
  const user = await db
    .selectFrom('accounts')
    .select(['id', 'user_name as userName', 'display_name as displayName', 'email'])
    .where('id', '=', accountId)
    .executeTakeFirst();
  return user ?? null;
}
