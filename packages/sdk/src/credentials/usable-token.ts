import { createClient } from '../client/client.ts';
import { NO_RETRY } from '../client/retry.ts';
import { renewToken } from './device-login.ts';
import { type FoundToken, isInLastThird, readClaims } from './find-token.ts';

const TIMEOUT = 5_000;

/**
 * Returns the token to send. A stored login that is used in the last third of its lifetime is renewed, so that regular
 * users never have to sign in again. If anything goes wrong, it is sent as it is.
 */
export async function usableToken(
  found: FoundToken,
  server: string,
  { userAgent, signal }: { userAgent?: string; signal?: AbortSignal | undefined } = {},
): Promise<string> {
  if (found.source !== 'login') return found.token;
  const claims = readClaims(found.token);
  if (!claims || !isInLastThird(claims, Date.now())) return found.token;
  const timeout = AbortSignal.timeout(TIMEOUT);
  const client = createClient({
    baseUrl: server,
    token: found.token,
    ...(userAgent === undefined ? {} : { userAgent }),
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
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
