import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Context } from '../context.ts';
import { getOrCreateSetting } from '../database/settings.ts';
import { randomSecret } from '../secrets.ts';

const NAME = 'bindery.device';
const YEAR_SECONDS = 365 * 86_400;

/** Returns a cookie that identifies a browser that has signed in to the account. It grants no access. */
export async function deviceCookie(context: Context, account: string): Promise<string> {
  const device = randomSecret();
  const secure = isSecure(context) ? '; Secure' : '';
  const value = `${device}.${await sign(context, account, device)}`;
  return `${nameOf(context)}=${value}; Max-Age=${YEAR_SECONDS}; Path=/; HttpOnly; SameSite=Lax${secure}`;
}

/** Returns the device behind the cookie, or null if it never signed in to this account. */
export async function readDeviceCookie(
  context: Context,
  account: string,
  cookieHeader: string | undefined,
): Promise<string | null> {
  const prefix = `${nameOf(context)}=`;
  const cookie = cookieHeader?.split(/; */).find((pair) => pair.startsWith(prefix));
  const [device, signature] = cookie?.slice(prefix.length).split('.') ?? [];
  if (!device || !signature) return null;
  const given = Buffer.from(signature);
  const expected = Buffer.from(await sign(context, account, device));
  return given.length === expected.length && timingSafeEqual(given, expected) ? device : null;
}

async function sign({ db }: Context, account: string, device: string): Promise<string> {
  const secret = await getOrCreateSetting(db, 'device_cookie_secret', randomSecret);
  return createHmac('sha256', secret).update(`${account} ${device}`).digest('base64url');
}

function nameOf(context: Context): string {
  return isSecure(context) ? `__Secure-${NAME}` : NAME;
}

function isSecure({ publicUrl }: Context): boolean {
  return publicUrl().startsWith('https:');
}
