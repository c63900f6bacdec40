import { routes, type ServiceToken } from '@bindery/contract';
import type { Client } from '../client/client.ts';

/** A fresh service token for the client's own, which must still be valid. */
export async function renewToken(client: Client): Promise<ServiceToken> {
  return client.call(routes.login.renewToken, {});
}

/** Ends the client's own token at the service. */
export async function revokeToken(client: Client): Promise<void> {
  await client.call(routes.login.revokeToken, {});
}
