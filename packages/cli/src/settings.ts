import {
  type Config,
  chooseAuthServer,
  chooseServer,
  configFolder,
  readConfig,
  type StorageOptions,
} from '@bindery/sdk';
import { usageError } from './output/command-error.ts';

/** Options that every command has, as typed. */
export interface GlobalOptions {
  json: boolean;
  quiet: boolean;
  /** Null: decided by the terminal and the environment. */
  color: boolean | null;
  apiUrl: string | undefined;
  authUrl: string | undefined;
}

/** The user's configuration, and the settings that follow from it and the command line. */
export interface Settings {
  folder: string;
  config: Config;
  server: string;
  authServer: string;
  /** How to reach the places where tokens are stored. */
  storage: StorageOptions;
  /** Minimum rate of transfers in bytes per second; null: no minimum; undefined: the default. */
  minTransferRate: number | null | undefined;
}

/** Reads `config.json`. A damaged file is reported to `warn` and left as it is. */
export async function readSettings(
  global: GlobalOptions,
  environment: NodeJS.ProcessEnv,
  warn: (text: string) => void,
): Promise<Settings> {
  const folder = configFolder(environment);
  const { config, damage } = await readConfig(folder);
  if (damage !== null) warn(`${damage} It is left as it is and not used; fix or remove it.`);
  const choice = { apiUrl: global.apiUrl, authUrl: global.authUrl, environment, config };
  try {
    return {
      folder,
      config,
      server: chooseServer(choice),
      authServer: chooseAuthServer(choice),
      storage: { folder, environment, warn },
      minTransferRate: readMinTransferRate(environment.BINDERY_MIN_TRANSFER_RATE),
    };
  } catch (error) {
    if (error instanceof TypeError)
      throw usageError(error.message, 'Check --api-url, BINDERY_API_URL and remote_url.');
    throw error;
  }
}

function readMinTransferRate(value: string | undefined): number | null | undefined {
  if (value === undefined || value === '') return undefined;
  if (value === 'off') return null;
  if (/^[1-9]\d{0,11}$/.test(value)) return Number(value);
  throw usageError(
    `BINDERY_MIN_TRANSFER_RATE: it must be bytes per second, or "off" (found "${value.slice(0, 80)}").`,
  );
}
