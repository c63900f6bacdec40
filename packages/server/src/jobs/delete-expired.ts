import { DAY } from '@bindery/contract/wire';
import { FAMILY_LIFETIME } from '../accounts/sessions.ts';
import type { MaintenanceContext } from '../context.ts';
import { deleteBefore } from '../database/queries.ts';
import type { Database } from '../database/schema.ts';

/**
 * Deletes expired logins, spent tokens, invitations, counters, sessions, lines of the audit log and webhook deliveries.
 */
export async function deleteExpired({ db, clock, configuration }: MaintenanceContext): Promise<void> {
  const now = clock();
  // Finished logins are remembered for a day, so that clients get `expired_token`.
  await deleteBefore(db, 'device_requests', { key: ['secret_hash'], time: 'expires_at' }, now - DAY);
  // Correcting a clock that ran ahead makes an expired token valid again, so it stays spent for as long as its family
  // can last.
  await deleteBefore(db, 'spent_tokens', { key: ['jti'], time: 'expires_at' }, now - FAMILY_LIFETIME);
  await deleteBefore(db, 'invitations', { key: ['token_hash'], time: 'expires_at' }, now);
  await deleteBefore(db, 'attempts', { key: ['key'], time: 'window_started_at' }, now - DAY);
  await deleteExpiredFamilies(db, now);
  await deleteBefore(
    db,
    'sign_in_origins',
    { key: ['account', 'caller'], time: 'signed_in_at' },
    now - 90 * DAY,
  );
  await deleteBefore(
    db,
    'webhook_deliveries',
    { key: ['webhook_id', 'id'], time: 'created_at' },
    now - configuration.webhookDays * DAY,
  );
  await deleteBefore(db, 'audit_log', { key: ['id'], time: 'at' }, now - configuration.auditDays * DAY);
  const session = { key: ['id'], time: 'expires_at' } as const;
  await deleteBefore(db, 'sign_in_sessions', session, new Date(now).toISOString());
}

/** The service tokens of an expired family have expired; its personal tokens are kept, without a family. */
async function deleteExpiredFamilies(db: Database, now: number): Promise<void> {
  await db
    .updateTable('personal_access_tokens')
    .set({ family_id: null })
    .where('family_id', 'in', (eb) =>
      eb.selectFrom('token_families').select('token_families.id').where('expires_at', '<', now),
    )
    .execute();
  await deleteBefore(db, 'token_families', { key: ['id'], time: 'expires_at' }, now);
}
