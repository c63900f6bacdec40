import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Database } from '../database/schema.ts';
import { getOrCreateSetting } from '../database/settings.ts';
import { ServiceError } from '../errors.ts';
import { randomSecret } from '../secrets.ts';

/** Where a page ended: the last row's name and id. */
interface Position {
  name: string;
  id: string;
}

/** The query that a cursor belongs to; the cursor is invalid for any other. */
interface CursorQuery {
  projectId: string;
  search: string;
}

/** A cursor with a valid signature; `requireCursorOf` checks whether it is valid for a query. */
export interface Cursor extends Position {
  query: string;
  /** Milliseconds since 1970 after which the cursor is refused. */
  until: number;
}

/** How long a cursor is valid, in milliseconds. */
const LIFETIME = 24 * 60 * 60 * 1000;

/** Returns an opaque, signed cursor: base64url of the payload, a dot, base64url of its HMAC-SHA256. */
export function encodeCursor(
  secret: string,
  query: CursorQuery,
  { name, id }: Position,
  now: number,
): string {
  const payload: Cursor = { name, id, query: fingerprint(query), until: now + LIFETIME };
  const text = Buffer.from(JSON.stringify(payload)).toString('base64url');
  return `${text}.${sign(secret, text).toString('base64url')}`;
}

/** Throws `invalid_cursor` if the cursor is damaged or was not signed with this secret. */
export function decodeCursor(secret: string, cursor: string): Cursor {
  const [text = '', signature = '', ...rest] = cursor.split('.');
  const given = Buffer.from(signature, 'base64url');
  const expected = sign(secret, text);
  const genuine = rest.length === 0 && given.length === expected.length && timingSafeEqual(given, expected);
  if (!genuine || given.toString('base64url') !== signature) throw invalidCursor();
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as Cursor;
}

/** Throws `invalid_cursor` if the cursor belongs to another query or is too old. */
export function requireCursorOf(query: CursorQuery, cursor: Cursor, now: number): void {
  if (cursor.query !== fingerprint(query) || cursor.until <= now) throw invalidCursor();
}

/** Returns the key that signs cursors. It is generated once and is the same on every replica. */
export function cursorSecret(db: Database): Promise<string> {
  return getOrCreateSetting(db, 'cursor_secret', randomSecret);
}

function sign(secret: string, text: string): Buffer {
  return createHmac('sha256', secret).update(`cursor:${text}`).digest();
}

function fingerprint({ projectId, search }: CursorQuery): string {
  return createHash('sha256')
    .update(JSON.stringify([projectId, search]))
    .digest('base64url');
}

function invalidCursor(): ServiceError {
  return new ServiceError(
    'invalid_cursor',
    'after: the cursor does not belong to this query or is too old. Start again without it.',
    { parameter: 'after' },
  );
}
