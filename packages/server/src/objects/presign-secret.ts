import { randomBytes } from 'node:crypto';
import { settingMadeOnce } from '../database/settings.ts';
import type { Parts } from '../parts.ts';

/** The 32 bytes that sign addresses of the disk store: made once, shared by all who open the same database. */
export async function presignSecret({ db }: Pick<Parts, 'db'>): Promise<Uint8Array> {
  const secret = await settingMadeOnce(db, 'presign_secret', () => randomBytes(32).toString('base64url'));
  return Buffer.from(secret, 'base64url');
}
