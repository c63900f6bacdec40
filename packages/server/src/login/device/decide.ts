import { startFamily } from '../../accounts/sessions.ts';
import { type AuditActor, recordAudit } from '../../audit/audit-log.ts';
import type { DatabaseContext, PeopleContext } from '../../context.ts';
import { ServiceError } from '../../errors.ts';
import { ATTEMPT_LIMITS, countAttempt, refundAttempt } from '../../limits/attempts.ts';
import type { SignedIn } from '../ports.ts';
import { isAlive, parseUserCode } from './start.ts';

/**
 * Who looks up a login by its code. Attempts are limited by both account and network, so that codes cannot be guessed.
 */
interface Approver {
  accountId: string;
  /** The browser's network, see `callerOf`. */
  caller: string;
}

type Decider = Approver & Pick<SignedIn, 'session'> & { actor: AuditActor };
type Decision = 'approved' | 'declined';

/** A pending login, as shown to the person who decides. Times in milliseconds since 1970. */
export interface PendingDeviceLogin {
  userCode: string;
  clientName: string | null;
  address: string;
  startedAt: number;
}

/**
 * Returns the pending login with this code. Throws `unknown_request` if there is none, `rate_limited` after too many
 * wrong codes.
 */
export async function findDeviceLogin(
  context: DatabaseContext,
  approver: Approver,
  typedCode: string,
): Promise<PendingDeviceLogin> {
  const guesses = [
    { limit: ATTEMPT_LIMITS.userCodeAccount, who: approver.accountId },
    { limit: ATTEMPT_LIMITS.userCodeAddress, who: approver.caller },
  ];
  for (const { limit, who } of guesses) {
    const budget = await countAttempt(context, limit, who);
    if (!budget.granted) throw tooManyCodes(budget.resetSeconds);
  }
  const found = await findPending(context, typedCode);
  if (!found) throw unknownCode();
  for (const { limit, who } of guesses) await refundAttempt(context, limit, who);
  return found;
}

/**
 * Approves or declines the pending login with this code; guesses are limited as in `findDeviceLogin`. An approval
 * starts a token family; throws like `startFamily`. Does nothing if the same account has decided the same before, as a
 * form that is sent twice does.
 */
export async function decideDeviceLogin(
  context: DatabaseContext,
  approver: Decider,
  typedCode: string,
  decision: Decision,
): Promise<void> {
  try {
    await decide(context, approver, typedCode, decision);
  } catch (error) {
    if (!(await hasDecided(context.db, approver, typedCode, decision))) throw error;
  }
}

async function decide(
  context: DatabaseContext,
  approver: Decider,
  typedCode: string,
  decision: Decision,
): Promise<void> {
  const { userCode, clientName, address } = await findDeviceLogin(context, approver, typedCode);
  await context.db.transaction().execute(async (trx) => {
    const now = context.clock();
    const change =
      decision === 'approved'
        ? {
            state: decision,
            account_id: approver.accountId,
            family_id: await startFamily(trx, { ...approver, clientName }, now),
          }
        : { state: decision, account_id: approver.accountId };
    const { numUpdatedRows } = await trx
      .updateTable('device_requests')
      .set(change)
      .where('user_code', '=', userCode)
      .where('state', '=', 'pending')
      .where(isAlive(now))
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw unknownCode();
    await recordAudit(trx, now, approver.actor, {
      action: decision === 'approved' ? 'device.approve' : 'device.decline',
      details: { device: clientName, address },
    });
  });
}

async function hasDecided(
  db: PeopleContext['db'],
  { accountId }: Approver,
  typedCode: string,
  decision: Decision,
): Promise<boolean> {
  const code = parseUserCode(typedCode);
  if (code === null) return false;
  const row = await db
    .selectFrom('device_requests')
    .select('state')
    .where('user_code', '=', code)
    .where('account_id', '=', accountId)
    .where('state', 'in', decision === 'approved' ? ['approved', 'collected'] : ['declined'])
    .executeTakeFirst();
  return row !== undefined;
}

async function findPending(
  { db, clock }: DatabaseContext,
  typedCode: string,
): Promise<PendingDeviceLogin | null> {
  const code = parseUserCode(typedCode);
  if (code === null) return null;
  const row = await db
    .selectFrom('device_requests')
    .select(['user_code', 'client_name', 'address', 'created_at'])
    .where('user_code', '=', code)
    .where('state', '=', 'pending')
    .where(isAlive(clock()))
    .executeTakeFirst();
  if (!row) return null;
  return {
    userCode: row.user_code,
    clientName: row.client_name,
    address: row.address,
    startedAt: row.created_at,
  };
}

function unknownCode(): ServiceError {
  return new ServiceError(
    'unknown_request',
    'No login is waiting with this code. Check it, or start again: codes last ten minutes.',
  );
}

function tooManyCodes(retryAfter: number): ServiceError {
  const minutes = Math.ceil(retryAfter / 60);
  return new ServiceError('rate_limited', `Too many wrong codes. Try again in ${minutes} minutes.`, {
    retryAfter,
  });
}
