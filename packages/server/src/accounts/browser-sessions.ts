import type { Database } from '../database/schema.ts';
import { lockAccount } from './account.ts';

/** Signs the browser out: its cookie and all its tokens become invalid immediately. */
export async function endBrowserSession(db: Database, sessionId: string): Promise<void> {
  await db.deleteFrom('sign_in_sessions').where('id', '=', sessionId).execute();
}

/**
 * Locks the account until the transaction ends, so that what the session creates cannot outlive it. Returns false if
 * the session was signed out.
 */
export async function lockBrowserSession(
  trx: Database,
  { accountId, sessionId }: { accountId: string; sessionId: string },
): Promise<boolean> {
  await lockAccount(trx, accountId);
  const session = await trx
    .selectFrom('sign_in_sessions')
    .select('id')
    .where('id', '=', sessionId)
    .executeTakeFirst();
  return session !== undefined;
}
