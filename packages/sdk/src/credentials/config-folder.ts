import { homedir } from 'node:os';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the folder of a user's settings and encrypted tokens. */
export function configFolder(environment: Environment, platform: NodeJS.Platform = process.platform): string {
  if (environment.BINDERY_CONFIG_DIR) return environment.BINDERY_CONFIG_DIR;
  if (platform === 'win32') {
    return join(environment.APPDATA || join(homedir(), 'AppData', 'Roaming'), 'bindery');
  }
  return join(environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), '.config'), 'bindery');
}
