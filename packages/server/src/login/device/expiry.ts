import { LIMITS } from '@bindery/contract';
import type { ExpressionBuilder } from 'kysely';
import type { Tables } from '../../database/schema.ts';

/** Returns when a login that starts at `startedAt` expires, with its code. Times are milliseconds since 1970. */
export function expiryOf(startedAt: number): number {
  return startedAt + LIMITS.deviceLogin.expiresIn * 1_000;
}

export function hasExpired({ expires_at }: { expires_at: number }, now: number): boolean {
  return expires_at <= now;
}

/** The condition for logins that have not expired. */
export function isAlive(now: number) {
  return (eb: ExpressionBuilder<Tables, 'device_requests'>) => eb('device_requests.expires_at', '>', now);
}
