import type { DatabaseContext } from '../context.ts';
import type { Claims } from './tokens.ts';

/** Marks a token as spent. Returns false if it already was; of concurrent calls, one returns true. */
export async function spend(
  { db }: DatabaseContext,
  { id, expiresAt }: Pick<Claims, 'id' | 'expiresAt'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('spent_tokens')
    .values({ jti: id, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('jti').doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}
