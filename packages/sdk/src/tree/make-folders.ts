import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** A folder and those above it that are missing. Step by step: Node's own recursion never ends where a folder that is there answers ENOENT, as those of /proc do. */
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
