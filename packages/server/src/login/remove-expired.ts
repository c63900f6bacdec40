import type { Parts } from '../parts.ts';

const DAY = 86_400_000;

/** Removes what has run out: logins, spent tokens, invitations, counters, sessions. The service calls it now and then. */
export async function removeExpired({ db, clock }: Pick<Parts, 'db' | 'clock'>): Promise<void> {
  const now = clock();
  await db
    .deleteFrom('device_requests')
    .where('expires_at', '<=', now - DAY)
    .execute();
  await db.deleteFrom('spent_tokens').where('expires_at', '<=', now).execute();
  await db.deleteFrom('invitations').where('expires_at', '<=', now).execute();
  await db
    .deleteFrom('attempts')
    .where('window_started_at', '<=', now - DAY)
    .execute();
  await db.deleteFrom('sign_in_sessions').where('expires_at', '<=', new Date(now).toISOString()).execute();
}
