import type { SyncOptions } from '@bindery/sdk/project-assets';
import type { Context } from '../../context.ts';
import { usageError } from '../../output/command-error.ts';
import { sanitizeLine } from '../../output/text.ts';

/** What the SDK's operations on folders need from the command line. */
export async function localOptions({ environment, output, progress, signal }: Context) {
  const { cacheFolder, stateFolder } = await import('@bindery/sdk/reading');
  return {
    cacheFolder: cacheFolder(environment),
    stateFolder: stateFolder(environment),
    cache: usesCache(environment),
    onCacheProblem: (message: string) =>
      output.warn(`${sanitizeLine(message)}; going on without it. Make it yours, or set XDG_CACHE_HOME.`),
    progress,
    signal,
  };
}

/** `BINDERY_CACHE=off`: pulled files are stored only in the folder that they are pulled into. */
function usesCache({ BINDERY_CACHE: value = '' }: NodeJS.ProcessEnv): boolean {
  if (value === 'off') return false;
  if (value === '' || value === 'on') return true;
  throw usageError(`BINDERY_CACHE: it must be "on" or "off" (found "${sanitizeLine(value.slice(0, 80))}").`);
}

/** Returns the client for the server that a project names, or for the chosen one if it names none. */
export function clientFor(context: Context): SyncOptions['clientFor'] {
  return (server) => (server === null ? context.client() : context.clientForServer(server));
}
