import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder and its parents. Node's own recursive `mkdir` never ends where the system reports a folder as missing
 * although its parent is there, as below `/proc`.
 */
export async function makeFolders(path: string, mode: number): Promise<void> {
  let failure = await tryToMake(path, mode);
  if (failure?.code === 'ENOENT' && dirname(path) !== path) {
    await makeFolders(dirname(path), mode);
    failure = await tryToMake(path, mode);
  }
  if (failure) throw failure;
}

/** Returns why there is no folder; null if there is one. */
async function tryToMake(path: string, mode: number): Promise<NodeJS.ErrnoException | null> {
  try {
    await mkdir(path, { mode });
    return null;
  } catch (error) {
    const found = await stat(path).catch(() => null);
    return found?.isDirectory() ? null : (error as NodeJS.ErrnoException);
  }
}
