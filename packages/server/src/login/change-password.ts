import { PASSWORD_PROVIDER, writePassword } from '../accounts/accounts.ts';
import { endLoginsOf, type SignedInViewer } from '../accounts/logins.ts';
import { hashPassword, requireAcceptablePassword, verifyPassword } from '../accounts/password.ts';
import { actorOf, recordAudit } from '../audit/audit-log.ts';
import type { DatabaseContext } from '../context.ts';
import type { Database } from '../database/schema.ts';
import { forbidden, ServiceError } from '../errors.ts';
import { ATTEMPT_LIMITS, countAttempt, refundAttempt } from '../limits/attempts.ts';

/**
 * Changes the viewer's password and ends all logins of the account, including this one: the reason for the change might
 * be that somebody else is signed in. Throws `invalid_credentials` if the current password is wrong, `rate_limited`
 * after too many guesses.
 */
export async function changePassword(
  context: DatabaseContext,
  viewer: SignedInViewer,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
): Promise<void> {
  const { accountId } = viewer;
  requireAcceptablePassword(newPassword, 'newPassword');
  const budget = await countAttempt(context, ATTEMPT_LIMITS.changePassword, accountId);
  if (!budget.granted) {
    throw new ServiceError('rate_limited', 'Too many wrong passwords. Try again later.', {
      retryAfter: budget.resetSeconds,
    });
  }
  const before = await passwordHashOf(context.db, accountId);
  if (before === null) throw forbidden('This account has no password.');
  if (!(await verifyPassword(before, currentPassword))) {
    await recordAudit(context.db, context.clock(), actorOf(viewer), { action: 'password.failed' });
    throw new ServiceError('invalid_credentials', 'The current password is wrong.');
  }
  await refundAttempt(context, ATTEMPT_LIMITS.changePassword, accountId);
  const passwordHash = await hashPassword(newPassword);
  await context.db.transaction().execute(async (trx) => {
    await endLoginsOf(trx, accountId);
    if ((await passwordHashOf(trx, accountId)) !== before) {
      throw new ServiceError('invalid_credentials', 'The password was changed in the meantime.');
    }
    await writePassword(trx, accountId, passwordHash, context.clock());
    await recordAudit(trx, context.clock(), actorOf(viewer), { action: 'password.change' });
  });
}

async function passwordHashOf(db: Database, accountId: string): Promise<string | null> {
  const row = await db
    .selectFrom('sign_in_credentials')
    .select('password')
    .where('user_id', '=', accountId)
    .where('provider_id', '=', PASSWORD_PROVIDER)
    .executeTakeFirst();
  return row?.password ?? null;
}
