import { homedir } from 'node:os';
import { join } from 'node:path';

/** Folder for data that can be deleted at any time: `$XDG_CACHE_HOME/bindery`, on Windows below `%LOCALAPPDATA%`. */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  if (environment.XDG_CACHE_HOME) return join(environment.XDG_CACHE_HOME, 'bindery');
  if (process.platform === 'win32' && environment.LOCALAPPDATA) {
    return join(environment.LOCALAPPDATA, 'bindery', 'cache');
  }
  return join(homedir(), '.cache', 'bindery');
}

/** Folder for what pushes and pulls record: `$XDG_STATE_HOME/bindery`, on Windows below `%LOCALAPPDATA%`. */
export function stateFolder(environment: NodeJS.ProcessEnv = process.env): string {
  if (environment.XDG_STATE_HOME) return join(environment.XDG_STATE_HOME, 'bindery');
  if (process.platform === 'win32' && environment.LOCALAPPDATA) {
    return join(environment.LOCALAPPDATA, 'bindery', 'state');
  }
  return join(homedir(), '.local', 'state', 'bindery');
}
