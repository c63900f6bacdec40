import { ServiceError } from '../errors.ts';
import type { Parts } from '../parts.ts';
import { writePassword } from './create-account.ts';
import { hashPassword, requireAcceptablePassword } from './password.ts';

/**
 * The operator's help for a forgotten password, straight on the database: sets a new one and signs every browser of
 * the account out. Tokens stay. Throws `not_found` for the user name and `invalid_parameter` for the password.
 */
export async function setPassword(
  { db, clock }: Pick<Parts, 'db' | 'clock'>,
  userName: string,
  password: string,
): Promise<void> {
  requireAcceptablePassword(password);
  const account = await db
    .selectFrom('accounts')
    .select('id')
    .where('user_name', '=', userName)
    .executeTakeFirst();
  if (!account) throw new ServiceError('not_found', `There is no account "${userName}".`);
  const passwordHash = await hashPassword(password);
  await db.transaction().execute(async (trx) => {
    await writePassword(trx, account.id, passwordHash, clock());
    await trx.deleteFrom('sign_in_sessions').where('user_id', '=', account.id).execute();
  });
}
