import { LIMITS } from '@bindery/contract';
import type { Database } from '../database/schema.ts';
import { getOrCreateSetting } from '../database/settings.ts';
import { randomSecret } from '../secrets.ts';

/**
 * Returns the secret that signs presigned URLs of the disk store: generated once, shared by all processes that open the
 * same database.
 */
export async function presignSecret(db: Database): Promise<Uint8Array> {
  return Buffer.from(await getOrCreateSetting(db, 'presign_secret', randomSecret), 'base64url');
}

/** URLs of the default lifetime or longer stay the same for this many seconds. */
const STEADY = 300;

/**
 * Returns when a download's URL expires, in seconds since 1970: no earlier than requested, and within the maximum
 * lifetime. It is rounded up, so that browsers that request it again in the next minutes get the URL that they have
 * cached.
 */
export function steadyExpiry(now: number, ttlSeconds: number): number {
  const expires = now + ttlSeconds;
  const rounded = Math.ceil(expires / STEADY) * STEADY;
  const isSteady = ttlSeconds >= LIMITS.presignTtl.default && rounded - now <= LIMITS.presignTtl.max;
  return isSteady ? rounded : expires;
}
