import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its missing parents one by one: Node's own recursion never ends if an existing folder reports
 * ENOENT, as those of /proc do.
 */
export function makeFolders(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && statSync(folder).isDirectory()) return;
    const above = dirname(folder);
    if (codeOf(error) !== 'ENOENT' || statSync(above, { throwIfNoEntry: false }) !== undefined) throw error;
    makeFolders(above);
    makeFolders(folder);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
