import { randomBytes } from 'node:crypto';
import type { Parts } from '../parts.ts';

const KEY = 'presign_secret';

/** The secret that signs addresses of the disk store: made once, shared by all who open the same database. */
export async function presignSecret({ db }: Pick<Parts, 'db'>): Promise<Uint8Array> {
  await db
    .insertInto('settings')
    .values({ key: KEY, value: randomBytes(32).toString('base64url') })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  const { value } = await db
    .selectFrom('settings')
    .select('value')
    .where('key', '=', KEY)
    .executeTakeFirstOrThrow();
  return Buffer.from(value, 'base64url');
}
