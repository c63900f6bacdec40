import { MACHINE } from '../audit/actor.ts';
import { recordAudit } from '../audit/record.ts';
import type { DatabaseContext } from '../context.ts';
import { findAccountByName } from './account.ts';
import { writePassword } from './create-account.ts';
import { endLoginsOf, type Logins } from './end-logins.ts';
import { hashPassword, requireAcceptablePassword } from './password.ts';

/**
 * Operator command: replaces a forgotten or compromised password, directly in the database, and ends all logins of the
 * account as `endLogins` does. Throws `not_found` for an unknown user name, `invalid_parameter` for the password.
 */
export async function setPassword(
  { db, clock }: DatabaseContext,
  userName: string,
  password: string,
): Promise<Logins> {
  requireAcceptablePassword(password);
  const account = await findAccountByName(db, userName);
  const passwordHash = await hashPassword(password);
  return db.transaction().execute(async (trx) => {
    const ended = await endLoginsOf(trx, account.id);
    await writePassword(trx, account.id, passwordHash, clock());
    await recordAudit(trx, clock(), MACHINE, { action: 'password.set', target: userName });
    return ended;
  });
}
