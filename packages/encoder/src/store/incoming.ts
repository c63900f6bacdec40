import { join } from 'node:path';

/** Folders of pulls under way, beside the models so that a rename makes them one. */
export const INCOMING = '.incoming';

/** Where a model arrives, and what keeps others from it meanwhile. */
export function incomingOf(
  folder: string,
  id: string,
): { root: string; files: string; lock: string; old: string } {
  const root = join(folder, INCOMING);
  const files = join(root, id.replaceAll('/', '__'));
  return { root, files, lock: `${files}.lock`, old: `${files}.old` };
}
