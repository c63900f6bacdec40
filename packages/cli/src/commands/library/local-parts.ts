import type { Context } from '../../context.ts';

/** What the SDK's work on folders needs of the command line. */
export async function localParts({ environment, progress, signal }: Context) {
  const { cacheFolder, stateFolder } = await import('@bindery/sdk/reading');
  return {
    cacheFolder: cacheFolder(environment),
    stateFolder: stateFolder(environment),
    progress,
    signal,
  };
}
