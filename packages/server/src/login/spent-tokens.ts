import type { ExpressionBuilder } from 'kysely';
import type { Tables } from '../database/schema.ts';
import type { Parts } from '../parts.ts';
import type { Claims } from './tokens.ts';

/** Marks a token as no longer accepted; false where it was so already. One of many at once hears true. */
export async function spend(
  { db }: Pick<Parts, 'db'>,
  { id, expiresAt }: Pick<Claims, 'id' | 'expiresAt'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('spent_tokens')
    .values({ jti: id, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('jti').doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** The subquery that has a row when the token was spent. */
export function isSpent(eb: ExpressionBuilder<Tables, keyof Tables>, id: string) {
  return eb.selectFrom('spent_tokens').select('spent_tokens.jti').where('spent_tokens.jti', '=', id);
}
