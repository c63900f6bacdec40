import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { ToolError } from '@bindery/mcp';

/**
 * A folder named from the root as a place on this machine, which need not be there. No step of it may be a link, or lead
 * up.
 *
 * @param root its real path
 */
export function folderBelow(root: string, folder: string): string {
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

/** What is one name on every system: Windows has drives and other slashes. */
const STEP = /^[^\\:\0]{1,255}$/;

function outside(folder: string): ToolError {
  return new ToolError(
    'outside_root',
    `${JSON.stringify(folder)} is not a folder below the root of this server.`,
    'Give a path relative to the root, with slashes and without links: scenes/kitchen.',
  );
}
