import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Context } from '../../context.ts';
import { getOrCreateSetting } from '../../database/settings.ts';
import { randomSecret } from '../../secrets.ts';
import type { AuthorizationChecks } from './identity-provider.ts';

const NAME = 'bindery.oidc';
const PATH = '/sign-in/oidc';
const LIFETIME_SECONDS = 600;

/** A sign-in that was sent to the provider and has not come back yet. */
interface PendingSignIn {
  checks: AuthorizationChecks;
  /** Where to send the person afterwards. */
  next: string;
  /** Whether the provider was told to authenticate the person again. */
  again: boolean;
  /** The account to connect the identity to; null for a sign-in. */
  connect: string | null;
}

/**
 * What a sign-in is checked against when it comes back is stored, signed, in the browser that began it: replicas store
 * nothing, and no other browser can finish it.
 */
export async function pendingCookie(context: Context, pending: PendingSignIn): Promise<string> {
  const until = context.clock() + LIFETIME_SECONDS * 1_000;
  const text = Buffer.from(JSON.stringify({ ...pending, until })).toString('base64url');
  return cookie(context, `${text}.${await sign(context, text)}`, LIFETIME_SECONDS);
}

/** Returns a cookie that deletes the pending one, which can be used only once. */
export function clearedCookie(context: Context): string {
  return cookie(context, '', 0);
}

/** Returns the sign-in that this browser began; null if there is none, or if it took too long. */
export async function readPending(
  context: Context,
  cookieHeader: string | undefined,
): Promise<PendingSignIn | null> {
  const prefix = `${nameOf(context)}=`;
  const found = cookieHeader?.split(/; */).find((pair) => pair.startsWith(prefix));
  const [text, signature] = found?.slice(prefix.length).split('.') ?? [];
  if (!text || !signature) return null;
  const given = Buffer.from(signature);
  const expected = Buffer.from(await sign(context, text));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const { until, ...pending } = JSON.parse(Buffer.from(text, 'base64url').toString()) as PendingSignIn & {
    until: number;
  };
  return until > context.clock() ? pending : null;
}

async function sign({ db }: Context, text: string): Promise<string> {
  const secret = await getOrCreateSetting(db, 'oidc_cookie_secret', randomSecret);
  return createHmac('sha256', secret).update(text).digest('base64url');
}

function cookie(context: Context, value: string, maxAge: number): string {
  const secure = isSecure(context) ? '; Secure' : '';
  return `${nameOf(context)}=${value}; Max-Age=${maxAge}; Path=${PATH}; HttpOnly; SameSite=Lax${secure}`;
}

function nameOf(context: Context): string {
  return isSecure(context) ? `__Secure-${NAME}` : NAME;
}

function isSecure({ publicUrl }: Context): boolean {
  return publicUrl().startsWith('https:');
}
