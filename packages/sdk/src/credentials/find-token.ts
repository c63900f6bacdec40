import type { Config } from './config-file.ts';
import { isSameServer } from './servers.ts';
import { readStoredToken, type StorageOptions } from './stored-login.ts';

/** The token to use and where it comes from; `place` names that in a sentence. */
export type FoundToken = { token: string; sourceName: string } & (
  | { source: 'environment' | 'api_key' }
  | { source: 'login'; replace(token: string): Promise<void> }
);

/**
 * Returns the token for `server`: `BINDERY_TOKEN`, else `api_key` of `config.json`, else the stored login. The stored
 * login is sent only to its own server; for another one, calls `warn` and returns null.
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
  const stored = await readStoredToken(options);
  if (!stored) return null;
  if (config.login_url !== undefined && !isSameServer(config.login_url, server)) {
    options.warn(`Your login is for ${config.login_url}; ${server} is used without it.`);
    return null;
  }
  const { token, store } = stored;
  return { token, sourceName: store.name, source: 'login', replace: (renewed) => store.write(renewed) };
}
