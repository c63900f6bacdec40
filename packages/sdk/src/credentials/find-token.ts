import { type Config, isSameServer } from './config.ts';
import { readStoredToken, type StorageOptions } from './stored-login.ts';
import { accountOfServer } from './token-store.ts';

/** The token to use and where it comes from; `place` names that in a sentence. */
export type FoundToken = { token: string; sourceName: string } & (
  | { source: 'environment' | 'api_key' }
  | FoundLogin
);

interface FoundLogin {
  source: 'login';
  replace(token: string): Promise<void>;
}

/**
 * Returns the token for `server`: `BINDERY_TOKEN`, else `api_key` of `config.json`, else the login stored for this
 * server. If there are only logins for other servers, calls `warn` and returns null.
 */
export async function findToken(
  server: string,
  config: Config,
  options: StorageOptions,
): Promise<FoundToken | null> {
  const fromEnvironment = options.environment.BINDERY_TOKEN?.trim();
  if (fromEnvironment) return { token: fromEnvironment, source: 'environment', sourceName: 'BINDERY_TOKEN' };
  const apiKey = config.api_key?.trim();
  if (apiKey) return { token: apiKey, source: 'api_key', sourceName: 'api_key in config.json' };
  const login = await findLogin(server, config, options);
  if (login === null && config.login_url !== undefined && !isSameServer(config.login_url, server)) {
    if ((await readStoredToken(options)) !== null)
      options.warn(`Your login is for ${config.login_url}; ${server} is used without it.`);
  }
  return login;
}

/** Returns the login that is stored for `server`, and nothing else: it may be sent to a server that a file names. */
export async function findLogin(
  server: string,
  { login_url, other_logins = [] }: Config,
  options: StorageOptions,
): Promise<(FoundToken & FoundLogin) | null> {
  const other = other_logins.find((one) => isSameServer(one, server));
  const isLast = login_url === undefined || isSameServer(login_url, server);
  if (!isLast && other === undefined) return null;
  const stored = await readStoredToken(
    isLast || other === undefined ? options : { ...options, account: accountOfServer(other) },
  );
  if (stored === null) return null;
  const { token, store } = stored;
  return { token, sourceName: store.name, source: 'login', replace: (renewed) => store.write(renewed) };
}

/** The claims of a service token. Not verified: only the service can do that. */
export interface TokenClaims {
  userName: string | null;
  /** Milliseconds since 1970. */
  issuedAt: number | null;
  expiresAt: number | null;
}

/** Returns the claims of a JWT; null for any other token, such as a personal access token. */
export function readClaims(token: string): TokenClaims | null {
  const parts = token.split('.');
  if (parts.length !== 3) return null;
  try {
    const claims: unknown = JSON.parse(Buffer.from(parts[1] ?? '', 'base64url').toString('utf8'));
    if (typeof claims !== 'object' || claims === null) return null;
    const { userName, iat, exp } = claims as Record<string, unknown>;
    return {
      userName: typeof userName === 'string' ? userName : null,
      issuedAt: milliseconds(iat),
      expiresAt: milliseconds(exp),
    };
  } catch {
    return null;
  }
}

/** Whether the token is in the last third of its lifetime and has not expired. */
export function isInLastThird(claims: TokenClaims, now: number): boolean {
  const { issuedAt, expiresAt } = claims;
  if (issuedAt === null || expiresAt === null || now >= expiresAt) return false;
  return now >= expiresAt - (expiresAt - issuedAt) / 3;
}

function milliseconds(seconds: unknown): number | null {
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds * 1_000 : null;
}
