import { LIMITS } from '@bindery/contract';
import type { Selectable } from 'kysely';
import type { AccountRow } from '../../accounts/accounts.ts';
import { type Family, findFamily } from '../../accounts/sessions.ts';
import type { PeopleContext } from '../../context.ts';
import type { Database } from '../../database/schema.ts';
import type { DeviceRequestsTable } from '../../database/tables/accounts.ts';
import { ServiceError } from '../../errors.ts';
import { LIFETIME } from '../ports.ts';
import { hasExpired } from './start.ts';

/** How many milliseconds early a poll can come: clients measure the interval by their own clock. */
const LEEWAY = 500;
const INTERVAL = LIMITS.deviceLogin.interval * 1_000;

type DevicePoll =
  | { state: 'pending' }
  | { state: 'collected'; accessToken: string; expiresInSeconds: number };

/**
 * Returns the state of the machine's login. The access token of an approved login is returned once; after that, and
 * after ten minutes, throws `expired_token`. Throws `unknown_request`, `access_denied`, and `slow_down` if polled too
 * often while pending.
 */
export async function pollDeviceLogin(
  { db, clock, tokens }: PeopleContext,
  secretHash: string,
): Promise<DevicePoll> {
  const request = await find(db, secretHash);
  const now = clock();
  if (!request) throw new ServiceError('unknown_request', 'No login was started with this secret.');
  if (request.state === 'declined') throw new ServiceError('access_denied', 'The login was declined.');
  if (request.state === 'collected' || hasExpired(request, now)) throw expired();
  if (request.state === 'pending') {
    await recordPoll(db, request, now);
    return { state: 'pending' };
  }
  const collected = await collect(db, request);
  if (!collected) throw expired();
  const { account, family } = collected;
  const { token } = await tokens.sign(
    'bindery:exchange',
    { id: account.id, userName: account.user_name },
    family,
  );
  return { state: 'collected', accessToken: token, expiresInSeconds: LIFETIME['bindery:exchange'] };
}

type DeviceRequest = Selectable<DeviceRequestsTable>;

async function find(db: Database, secretHash: string): Promise<DeviceRequest | undefined> {
  return db
    .selectFrom('device_requests')
    .selectAll()
    .where('secret_hash', '=', secretHash)
    .executeTakeFirst();
}

/** Records the time of the poll. Only one of several concurrent polls succeeds; the others are too fast. */
async function recordPoll(db: Database, request: DeviceRequest, now: number): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('device_requests')
    .set({ last_polled_at: now })
    .where('secret_hash', '=', request.secret_hash)
    .where((eb) =>
      eb.or([eb('last_polled_at', 'is', null), eb('last_polled_at', '<=', now - INTERVAL + LEEWAY)]),
    )
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return;
  const waited = now - (request.last_polled_at ?? now);
  throw new ServiceError('slow_down', `Poll every ${LIMITS.deviceLogin.interval} seconds.`, {
    retryAfter: Math.max(1, Math.ceil((INTERVAL - waited) / 1_000)),
  });
}

/** Collects the approved request. Of concurrent polls one gets the family, unless it was ended in the meantime. */
async function collect(
  db: Database,
  request: DeviceRequest,
): Promise<{ account: AccountRow; family: Family } | null> {
  const { numUpdatedRows } = await db
    .updateTable('device_requests')
    .set({ state: 'collected' })
    .where('secret_hash', '=', request.secret_hash)
    .where('user_code', '=', request.user_code)
    .where('state', '=', 'approved')
    .executeTakeFirst();
  if (numUpdatedRows === 0n || request.family_id === null) return null;
  return findFamily(db, request.family_id);
}

function expired(): ServiceError {
  return new ServiceError('expired_token', 'The login has expired, or its token was collected. Start again.');
}
