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
