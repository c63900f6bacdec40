import { randomInt } from 'node:crypto';
import { LIMITS } from '@bindery/contract';
import type { ExpressionBuilder } from 'kysely';
import type { DatabaseContext, PeopleContext } from '../../context.ts';
import { isUniqueViolation } from '../../database/failures.ts';
import type { Tables } from '../../database/schema.ts';

interface StartedDeviceLogin {
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
}

/** Maximum number of codes to try. Two pending requests draw the same code once in billions. */
const DRAWS = 3;

/** Starts a login for the machine whose secret has this hash, replacing its earlier login. */
export async function startDeviceLogin(
  context: PeopleContext,
  machine: { secretHash: string; clientName: string | undefined; address: string },
): Promise<StartedDeviceLogin> {
  const code = formatUserCode(await storeRequest(context, machine));
  const verificationUri = `${context.publicUrl()}/device`;
  return {
    user_code: code,
    verification_uri: verificationUri,
    verification_uri_complete: `${verificationUri}?user_code=${code}`,
    expires_in: LIMITS.deviceLogin.expiresIn,
    interval: LIMITS.deviceLogin.interval,
  };
}

async function storeRequest(
  { db, clock }: DatabaseContext,
  {
    secretHash,
    clientName,
    address,
  }: { secretHash: string; clientName: string | undefined; address: string },
): Promise<string> {
  for (let draw = 1; ; draw++) {
    const request = {
      user_code: makeUserCode(),
      client_name: printable(clientName ?? '') || null,
      address,
      state: 'pending' as const,
      account_id: null,
      family_id: null,
      created_at: clock(),
      expires_at: expiryOf(clock()),
      last_polled_at: null,
    };
    try {
      await db
        .insertInto('device_requests')
        .values({ secret_hash: secretHash, ...request })
        .onConflict((conflict) => conflict.column('secret_hash').doUpdateSet(request))
        .execute();
      return request.user_code;
    } catch (error) {
      if (draw === DRAWS || !isUniqueViolation(error)) throw error;
    }
  }
}

/** Makes a name that strangers chose safe to show, by replacing control and text-direction characters. */
function printable(name: string): string {
  return name
    .replace(/\p{C}+/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
}

/** Consonants that are not mistaken for one another; without vowels, codes do not form words. */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;

/** Returns a new code as it is stored: eight letters, one of 20^8. */
export function makeUserCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** Formats a code for people as `XXXX-XXXX`. */
export function formatUserCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}

/** Normalises what a person typed, ignoring case, dashes and spaces. Null if it cannot be a code. */
export function parseUserCode(typed: string): string | null {
  const code = typed.replace(/[\s\-‐-―]/g, '').toUpperCase();
  return code.length === LENGTH && [...code].every((letter) => ALPHABET.includes(letter)) ? code : null;
}

/** Returns when a login that starts at `startedAt` expires, with its code. Times are milliseconds since 1970. */
function expiryOf(startedAt: number): number {
  return startedAt + LIMITS.deviceLogin.expiresIn * 1_000;
}

export function hasExpired({ expires_at }: { expires_at: number }, now: number): boolean {
  return expires_at <= now;
}

/** The condition for logins that have not expired. */
export function isAlive(now: number) {
  return (eb: ExpressionBuilder<Tables, 'device_requests'>) => eb('device_requests.expires_at', '>', now);
}
