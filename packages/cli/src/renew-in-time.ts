import { createClient, type FoundToken, isInLastThird, NO_RETRY, readClaims, renewToken } from '@bindery/sdk';
import { USER_AGENT } from './version.ts';

const TIMEOUT = 5_000;

/**
 * A stored login in the last third of its life is renewed on use, so that who works with it never has to sign in
 * again. Whatever goes wrong, the token at hand still serves.
 */
export async function renewInTime(found: FoundToken, server: string, signal: AbortSignal): Promise<string> {
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
