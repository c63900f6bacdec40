import type { Database } from '../database/schema.ts';
import { getOrCreateSetting } from '../database/settings.ts';
import { randomSecret } from '../secrets.ts';

/** Returns the key that signs cursors. It is generated once and is the same on every replica. */
export function cursorSecret(db: Database): Promise<string> {
  return getOrCreateSetting(db, 'cursor_secret', randomSecret);
}
