import { createHmac, timingSafeEqual } from 'node:crypto';
import type { PeopleContext } from '../context.ts';
import { getOrCreateSetting } from '../database/settings.ts';
import { randomSecret } from '../secrets.ts';
import type { AuthorizationChecks } from './ports.ts';

/** A cookie of which the service stores nothing: its value is signed, for a purpose that has a secret of its own. */
interface SignedCookie {
  name: string;
  /** The setting that holds the secret. */
  secret: string;
  path: string;
  maxAgeSeconds: number;
}

const DEVICE: SignedCookie = {
  name: 'bindery.device',
  secret: 'device_cookie_secret',
  path: '/',
  maxAgeSeconds: 365 * 86_400,
};

const PENDING: SignedCookie = {
  name: 'bindery.oidc',
  secret: 'oidc_cookie_secret',
  path: '/sign-in/oidc',
  maxAgeSeconds: 600,
};

/** Returns a cookie that identifies a browser that has signed in to the account. It grants no access. */
export async function deviceCookie(context: PeopleContext, account: string): Promise<string> {
  const device = randomSecret();
  return write(context, DEVICE, `${device}.${await sign(context, DEVICE, `${account} ${device}`)}`);
}

/** Returns the device behind the cookie, or null if it never signed in to this account. */
export async function readDeviceCookie(
  context: PeopleContext,
  account: string,
  cookieHeader: string | undefined,
): Promise<string | null> {
  return read(context, DEVICE, cookieHeader, (device) => `${account} ${device}`);
}

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
export async function pendingCookie(context: PeopleContext, pending: PendingSignIn): Promise<string> {
  const until = context.clock() + PENDING.maxAgeSeconds * 1_000;
  const text = Buffer.from(JSON.stringify({ ...pending, until })).toString('base64url');
  return write(context, PENDING, `${text}.${await sign(context, PENDING, text)}`);
}

/** Returns a cookie that deletes the pending one, which can be used only once. */
export function clearedCookie(context: PeopleContext): string {
  return write(context, { ...PENDING, maxAgeSeconds: 0 }, '');
}

/** Returns the sign-in that this browser began; null if there is none, or if it took too long. */
export async function readPending(
  context: PeopleContext,
  cookieHeader: string | undefined,
): Promise<PendingSignIn | null> {
  const text = await read(context, PENDING, cookieHeader, (value) => value);
  if (text === null) return null;
  const { until, ...pending } = JSON.parse(Buffer.from(text, 'base64url').toString()) as PendingSignIn & {
    until: number;
  };
  return until > context.clock() ? pending : null;
}

/** Returns the value of a cookie, or null if its signature, of `signed(value)`, is not the service's. */
async function read(
  context: PeopleContext,
  cookie: SignedCookie,
  cookieHeader: string | undefined,
  signed: (value: string) => string,
): Promise<string | null> {
  const prefix = `${nameOf(context, cookie)}=`;
  const found = cookieHeader?.split(/; */).find((pair) => pair.startsWith(prefix));
  const [value, signature] = found?.slice(prefix.length).split('.') ?? [];
  if (!value || !signature) return null;
  const given = Buffer.from(signature);
  const expected = Buffer.from(await sign(context, cookie, signed(value)));
  return given.length === expected.length && timingSafeEqual(given, expected) ? value : null;
}

function write(context: PeopleContext, cookie: SignedCookie, value: string): string {
  const secure = isSecure(context) ? '; Secure' : '';
  return `${nameOf(context, cookie)}=${value}; Max-Age=${cookie.maxAgeSeconds}; Path=${cookie.path}; HttpOnly; SameSite=Lax${secure}`;
}

async function sign({ db }: PeopleContext, { secret }: SignedCookie, text: string): Promise<string> {
  const key = await getOrCreateSetting(db, secret, randomSecret);
  return createHmac('sha256', key).update(text).digest('base64url');
}

function nameOf(context: PeopleContext, { name }: SignedCookie): string {
  return isSecure(context) ? `__Secure-${name}` : name;
}

function isSecure({ publicUrl }: PeopleContext): boolean {
  return publicUrl().startsWith('https:');
}
