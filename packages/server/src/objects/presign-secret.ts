import { settingMadeOnce } from '../database/settings.ts';
import type { Parts } from '../parts.ts';
import { randomSecret } from '../secrets.ts';

/** The secret that signs presigned URLs of the disk store: made once, shared by all who open the same database. */
export async function presignSecret({ db }: Pick<Parts, 'db'>): Promise<Uint8Array> {
  return Buffer.from(await settingMadeOnce(db, 'presign_secret', randomSecret), 'base64url');
}
