import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceToken } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import type { Client } from '../client/client.ts';
import { ApiError, NetworkError } from '../client/errors.ts';
import { NO_RETRY } from '../client/retry.ts';
import { BinderyError } from '../failures.ts';

/** A login that is waiting for a person's approval. Times are in milliseconds. */
export interface PendingLogin {
  /** The code that the person compares, `XXXX-XXXX`. */
  userCode: string;
  verificationUri: string;
  /** The same URI with the code filled in. */
  verificationUriComplete: string;
  expiresAt: number;
  interval: number;
}

/** Why a login ended without a token. */
export class LoginRefusedError extends BinderyError {
  readonly reason: 'declined' | 'expired';

  constructor(reason: 'declined' | 'expired') {
    super(
      `login_${reason}`,
      reason === 'declined'
        ? 'The login was declined in the browser.'
        : 'The code expired before it was approved.',
    );
    this.reason = reason;
  }
}

/** Returns 256 random bits as 64 hexadecimal characters, new for every login. */
export function newDeviceSecret(): string {
  return randomBytes(32).toString('hex');
}

/** Asks the authorization server for a code. The secret stays here; only its hash is sent. */
export async function startLogin(
  authServer: Client,
  secret: string,
  clientName: string,
): Promise<PendingLogin> {
  const answer = await authServer.call(routes.login.startDeviceLogin, {
    body: { device_secret_hash: hash(secret), client_name: clientName.slice(0, 200) },
  });
  return {
    userCode: answer.user_code,
    verificationUri: authServer.resolve(answer.verification_uri),
    verificationUriComplete: authServer.resolve(answer.verification_uri_complete ?? answer.verification_uri),
    expiresAt: Date.now() + answer.expires_in * 1_000,
    interval: (answer.interval ?? 5) * 1_000,
  };
}

/**
 * Waits until the person has decided, polling every `interval`, and returns the access token. Keeps polling after a
 * broken connection until the code has expired. Throws `LoginRefusedError`.
 */
export async function awaitApproval(
  authServer: Client,
  secret: string,
  pending: PendingLogin,
  signal?: AbortSignal,
): Promise<string> {
  let interval = pending.interval;
  while (Date.now() < pending.expiresAt) {
    await sleep(interval, undefined, signal ? { signal } : {});
    const answer = await poll(authServer, secret, signal);
    if (typeof answer === 'string') return answer;
    if (answer.slowDown > 0) interval = Math.max(interval + 1_000, answer.slowDown);
  }
  throw new LoginRefusedError('expired');
}

/** Returns the access token, or the polling interval in milliseconds that the service asks for, or 0. */
async function poll(
  authServer: Client,
  secret: string,
  signal: AbortSignal | undefined,
): Promise<string | { slowDown: number }> {
  try {
    const { status, bytes } = await authServer.raw(routes.login.pollDeviceLogin, {
      body: { device_secret_hash: hash(secret) },
      retry: NO_RETRY,
      ...(signal ? { signal } : {}),
    });
    if (status === 202) return { slowDown: 0 };
    return (JSON.parse(bytes.toString('utf8')) as { access_token: string }).access_token;
  } catch (error) {
    if (error instanceof NetworkError) return { slowDown: 0 };
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'access_denied') throw new LoginRefusedError('declined');
    if (error.code === 'expired_token' || error.code === 'unknown_request')
      throw new LoginRefusedError('expired');
    if (error.code === 'slow_down')
      return { slowDown: Number(error.details.retryAfterSeconds ?? 0) * 1_000 || 1_000 };
    if (error.status >= 500) return { slowDown: 0 };
    throw error;
  }
}

/** Exchanges the access token, which is accepted once, for the service token that is stored. */
export async function exchangeAccessToken(server: Client, accessToken: string): Promise<ServiceToken> {
  return server.call(routes.login.exchangeToken, { headers: { authorization: `Bearer ${accessToken}` } });
}

function hash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Returns a new service token in exchange for the client's own, which must still be valid. */
export async function renewToken(client: Client): Promise<ServiceToken> {
  return client.call(routes.login.renewToken, {});
}

/** Ends the client's own login, and the personal tokens made with it unless `keepPersonalTokens` is set. */
export async function revokeToken(
  client: Client,
  { keepPersonalTokens = false, signal }: { keepPersonalTokens?: boolean; signal?: AbortSignal } = {},
): Promise<void> {
  await client.call(routes.login.revokeToken, {
    ...(keepPersonalTokens && { body: { keepPersonalTokens } }),
    ...(signal && { signal }),
  });
}
