import type { Parts } from '../parts.ts';
import { repeat } from '../service/repeat.ts';

/** Milliseconds. Logins that are over are remembered for a day, so that clients hear `expired_token`. */
const INTERVAL = 60 * 60_000;
const DAY = 86_400_000;

/** Removes now and then what has run out. `stop` resolves once a running pass has ended. */
export function startRemovingExpired(parts: Pick<Parts, 'db' | 'clock' | 'log'>): { stop(): Promise<void> } {
  const { log } = parts;
  return repeat({ every: INTERVAL, name: 'removing what has expired', log }, () => removeExpired(parts));
}

/** Removes logins, spent tokens, invitations, counters and sessions that have run out. */
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
