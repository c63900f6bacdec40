import type { ServiceToken } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import type { Client } from '../client/client.ts';

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
