import { join } from 'node:path';

/** Folder of pulls in progress, next to the models so that a rename installs a finished one. */
export const INCOMING = '.incoming';

/** Paths for the pull of a model: its incoming files, its lock, and the model that it replaces. */
export function incomingOf(
  folder: string,
  id: string,
): { root: string; files: string; lock: string; old: string } {
  const root = join(folder, INCOMING);
  const files = join(root, id.replaceAll('/', '__'));
  return { root, files, lock: `${files}.lock`, old: `${files}.old` };
}
