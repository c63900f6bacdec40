import { isLoopback, parseServerAddress } from '../client/server-urls.ts';
import type { Config } from './config-file.ts';

export const DEFAULT_SERVER = 'http://127.0.0.1:7420';

/** What determines the servers: flags, the environment, `config.json`, in order of precedence. */
export interface ServerChoice {
  apiUrl?: string | undefined;
  authUrl?: string | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  config: Config;
}

/** Returns the service's address. Throws a `TypeError` if it is not a server address. */
export function chooseServer({ apiUrl, environment, config }: ServerChoice): string {
  return parseServerAddress(apiUrl ?? (environment.BINDERY_API_URL || config.remote_url || DEFAULT_SERVER));
}

/** Returns the authorization server: the named one, else the service itself. `auth_url` belongs to `remote_url`. */
export function chooseAuthServer(choice: ServerChoice): string {
  const server = chooseServer(choice);
  const { remote_url, auth_url } = choice.config;
  const goesWithServer = remote_url === undefined || isSameServer(remote_url, server);
  const named = choice.authUrl ?? (choice.environment.BINDERY_AUTH_URL || (goesWithServer ? auth_url : ''));
  return named ? parseServerAddress(named) : server;
}

/** Whether a token for one may be sent to the other: the same address, or the same port of this machine's loopback. */
export function isSameServer(one: string, other: string): boolean {
  if (!URL.canParse(one) || !URL.canParse(other)) return false;
  const [first, second] = [new URL(one), new URL(other)];
  if (isLoopback(first) && isLoopback(second)) return first.port === second.port;
  return first.origin === second.origin && trimmed(first) === trimmed(second);
}

function trimmed({ pathname }: URL): string {
  return pathname.replace(/\/+$/, '');
}
