import { getOrCreateSetting } from '../database/settings.ts';
import type { Parts } from '../parts.ts';
import { randomSecret } from '../secrets.ts';

/** Returns the key that signs cursors. It is generated once and is the same on every replica. */
export function cursorSecret({ db }: Pick<Parts, 'db'>): Promise<string> {
  return getOrCreateSetting(db, 'cursor_secret', randomSecret);
}
