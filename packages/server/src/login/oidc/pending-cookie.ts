import { createHmac, timingSafeEqual } from 'node:crypto';
import { settingMadeOnce } from '../../database/settings.ts';
import type { Parts } from '../../parts.ts';
import { randomSecret } from '../../secrets.ts';
import type { AuthorizationChecks } from './identity-provider.ts';

const NAME = 'bindery.oidc';
const PATH = '/sign-in/oidc';
const LIFETIME_SECONDS = 600;

/** A sign-in that has gone to the provider and has not come back. */
export interface PendingSignIn {
  checks: AuthorizationChecks;
  /** Where the person wants to go. */
  next: string;
  /** Whether the provider was told to ask the person again. */
  again: boolean;
  /** The account that the identity is to be connected with; null for a sign-in. */
  connect: string | null;
}

type CookieParts = Pick<Parts, 'db' | 'clock' | 'publicUrl'>;

/**
 * What a sign-in is held against when it comes back lies in the browser that began it, signed: no replica keeps it, and no
 * other browser can finish it.
 */
export async function pendingCookie(parts: CookieParts, pending: PendingSignIn): Promise<string> {
  const until = parts.clock() + LIFETIME_SECONDS * 1_000;
  const text = Buffer.from(JSON.stringify({ ...pending, until })).toString('base64url');
  return cookie(parts, `${text}.${await sign(parts, text)}`, LIFETIME_SECONDS);
}

/** Takes the cookie away: what it holds is used once. */
export function spentCookie(parts: CookieParts): string {
  return cookie(parts, '', 0);
}

/** The sign-in that this browser began; null without one, and for one that took too long. */
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
  const secret = await settingMadeOnce(db, 'oidc_cookie_secret', randomSecret);
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
