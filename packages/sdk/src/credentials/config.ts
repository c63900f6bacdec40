import { homedir } from 'node:os';
import { join } from 'node:path';
import { isLoopback, parseServerAddress } from '../client/server-urls.ts';
import { readIfExists, renameDamaged, writePrivateFile } from './private-files.ts';

/** The user's `config.json`. Keys that this version does not know are kept as they are. */
export interface Config {
  remote_url?: string | undefined;
  auth_url?: string | undefined;
  api_key?: string | undefined;
  device_secret?: string | undefined;
  /** The server last signed in to, to which the stored login belongs; written by the login. */
  login_url?: string | undefined;
  /** Other servers with a stored login; written by the login. */
  other_logins?: readonly string[] | undefined;
  [key: string]: unknown;
}

const TEXTS = ['remote_url', 'auth_url', 'api_key', 'device_secret', 'login_url'] as const;

/** The configuration that was read. `damage` says why the file could not be read, or is null. */
export interface ReadConfig {
  config: Config;
  damage: string | null;
}

export function configPath(folder: string): string {
  return join(folder, 'config.json');
}

export async function readConfig(folder: string): Promise<ReadConfig> {
  const path = configPath(folder);
  const text = await readIfExists(path);
  if (text === null) return { config: {}, damage: null };
  const { config, problem } = parseConfig(text);
  return { config, damage: problem === null ? null : `${path} is damaged: ${problem}.` };
}

function parseConfig(text: string): { config: Config; problem: string | null } {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { config: {}, problem: 'the whole must be an object' };
    }
    const config = value as Config;
    const wrong = TEXTS.find((key) => config[key] !== undefined && typeof config[key] !== 'string');
    if (wrong !== undefined) return { config: {}, problem: `"${wrong}" must be text` };
    const { other_logins: others = [] } = config;
    if (!Array.isArray(others) || others.some((server) => typeof server !== 'string'))
      return { config: {}, problem: '"other_logins" must be a list of texts' };
    return { config, problem: null };
  } catch {
    return { config: {}, problem: 'it is not JSON' };
  }
}

/** Changes keys of the file; `undefined` removes one. Renames a damaged file first, and gives `warn` its new path. */
export async function updateConfig(
  folder: string,
  changes: Partial<Config>,
  warn: (text: string) => void,
): Promise<void> {
  const path = configPath(folder);
  const { config, damage } = await readConfig(folder);
  if (damage !== null)
    warn(`${damage} It was renamed to ${await renameDamaged(path)}, and a new one was started.`);
  await writePrivateFile(path, `${JSON.stringify({ ...config, ...changes }, null, 2)}\n`);
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the folder of a user's settings and encrypted tokens. */
export function configFolder(environment: Environment, platform: NodeJS.Platform = process.platform): string {
  if (environment.BINDERY_CONFIG_DIR) return environment.BINDERY_CONFIG_DIR;
  if (platform === 'win32') {
    return join(environment.APPDATA || join(homedir(), 'AppData', 'Roaming'), 'bindery');
  }
  return join(environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), '.config'), 'bindery');
}

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
