import { settingMadeOnce } from '../database/settings.ts';
import type { Parts } from '../parts.ts';
import { randomSecret } from '../secrets.ts';

/** What signs cursors: made once, the same in every replica. */
export function cursorSecret({ db }: Pick<Parts, 'db'>): Promise<string> {
  return settingMadeOnce(db, 'cursor_secret', randomSecret);
}
