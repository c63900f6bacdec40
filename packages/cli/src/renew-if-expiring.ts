import { createClient, type FoundToken, isInLastThird, NO_RETRY, readClaims, renewToken } from '@bindery/sdk';
import { USER_AGENT } from './version.ts';

const TIMEOUT = 5_000;

/**
 * Renews a stored login that is used in the last third of its lifetime, so that regular users never have to sign in
 * again. If anything goes wrong, returns the token as it is.
 */
export async function renewIfExpiring(
  found: FoundToken,
  server: string,
  signal: AbortSignal,
): Promise<string> {
  if (found.source !== 'login') return found.token;
  const claims = readClaims(found.token);
  if (!claims || !isInLastThird(claims, Date.now())) return found.token;
  const client = createClient({
    baseUrl: server,
    token: found.token,
    userAgent: USER_AGENT,
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]),
    retry: NO_RETRY,
  });
  try {
    const { token } = await renewToken(client);
    await found.replace(token);
    return token;
  } catch {
    return found.token;
  } finally {
    await client.close();
  }
}
