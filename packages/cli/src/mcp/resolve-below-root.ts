import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { ToolError } from '@bindery/mcp';

/**
 * Returns the path on this machine of a folder named relative to the root, which need not exist. Throws `ToolError` if
 * a step of it is a link or a file, or leads up.
 *
 * @param root its real path
 */
export function resolveBelowRoot(root: string, folder: string): string {
  if (folder === '.') return root;
  let place = root;
  for (const step of folder.split('/')) {
    if (!STEP.test(step) || step === '.' || step === '..') throw outside(folder);
    place = join(place, step);
    const found = lstatSync(place, { throwIfNoEntry: false });
    if (found !== undefined && !found.isDirectory()) throw outside(folder);
  }
  return place;
}

/** A single name on every system: Windows has drives and backslashes. */
const STEP = /^[^\\:\0]{1,255}$/;

function outside(folder: string): ToolError {
  return new ToolError(
    'outside_root',
    `${JSON.stringify(folder)} is not a folder below the root of this server.`,
    'Give a path relative to the root, with slashes and without links: scenes/kitchen.',
  );
}
