import {
  type Config,
  chooseAuthServer,
  chooseServer,
  configFolder,
  readConfig,
  type StorageOptions,
} from '@bindery/sdk';
import type { GlobalOptions } from './context.ts';
import { usageError } from './output/command-error.ts';

/** The user's configuration and what follows from it and the command line. */
export interface Settings {
  folder: string;
  config: Config;
  server: string;
  authServer: string;
  /** How to reach the places where tokens are kept. */
  storage: StorageOptions;
}

/** Reads `config.json`; a damaged one is told to `warn` and left as it is. */
export async function readSettings(
  global: GlobalOptions,
  environment: NodeJS.ProcessEnv,
  warn: (text: string) => void,
): Promise<Settings> {
  const folder = configFolder(environment);
  const { config, damage } = await readConfig(folder);
  if (damage !== null) warn(`${damage} It is left as it is and not used; mend or remove it.`);
  const choice = { apiUrl: global.apiUrl, authUrl: global.authUrl, environment, config };
  try {
    return {
      folder,
      config,
      server: chooseServer(choice),
      authServer: chooseAuthServer(choice),
      storage: { folder, environment, warn },
    };
  } catch (error) {
    if (error instanceof TypeError)
      throw usageError(error.message, 'Look at --api-url, BINDERY_API_URL and remote_url.');
    throw error;
  }
}
