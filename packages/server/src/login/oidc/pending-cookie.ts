import { createHmac, timingSafeEqual } from 'node:crypto';
import { getOrCreateSetting } from '../../database/settings.ts';
import type { Parts } from '../../parts.ts';
import { randomSecret } from '../../secrets.ts';
import type { AuthorizationChecks } from './identity-provider.ts';

const NAME = 'bindery.oidc';
const PATH = '/sign-in/oidc';
const LIFETIME_SECONDS = 600;

/** A sign-in that was sent to the provider and has not come back yet. */
export interface PendingSignIn {
  checks: AuthorizationChecks;
  /** Where to send the person afterwards. */
  next: string;
  /** Whether the provider was told to authenticate the person again. */
  again: boolean;
  /** The account to connect the identity to; null for a sign-in. */
  connect: string | null;
}

type CookieParts = Pick<Parts, 'db' | 'clock' | 'publicUrl'>;

/**
 * What a sign-in is checked against when it comes back is stored, signed, in the browser that began it: replicas store
 * nothing, and no other browser can finish it.
 */
export async function pendingCookie(parts: CookieParts, pending: PendingSignIn): Promise<string> {
  const until = parts.clock() + LIFETIME_SECONDS * 1_000;
  const text = Buffer.from(JSON.stringify({ ...pending, until })).toString('base64url');
  return cookie(parts, `${text}.${await sign(parts, text)}`, LIFETIME_SECONDS);
}

/** Returns a cookie that deletes the pending one, which can be used only once. */
export function clearedCookie(parts: CookieParts): string {
  return cookie(parts, '', 0);
}

/** Returns the sign-in that this browser began; null if there is none, or if it took too long. */
export async function readPending(
  parts: CookieParts,
  cookieHeader: string | undefined,
): Promise<PendingSignIn | null> {
  const prefix = `${nameOf(parts)}=`;
  const found = cookieHeader?.split(/; */).find((pair) => pair.startsWith(prefix));
  const [text, signature] = found?.slice(prefix.length).split('.') ?? [];
  if (!text || !signature) return null;
  const given = Buffer.from(signature);
  const expected = Buffer.from(await sign(parts, text));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const { until, ...pending } = JSON.parse(Buffer.from(text, 'base64url').toString()) as PendingSignIn & {
    until: number;
  };
  return until > parts.clock() ? pending : null;
}

async function sign({ db }: CookieParts, text: string): Promise<string> {
  const secret = await getOrCreateSetting(db, 'oidc_cookie_secret', randomSecret);
  return createHmac('sha256', secret).update(text).digest('base64url');
}

function cookie(parts: CookieParts, value: string, maxAge: number): string {
  const secure = isSecure(parts) ? '; Secure' : '';
  return `${nameOf(parts)}=${value}; Max-Age=${maxAge}; Path=${PATH}; HttpOnly; SameSite=Lax${secure}`;
}

function nameOf(parts: CookieParts): string {
  return isSecure(parts) ? `__Secure-${NAME}` : NAME;
}

function isSecure({ publicUrl }: CookieParts): boolean {
  return publicUrl().startsWith('https:');
}
