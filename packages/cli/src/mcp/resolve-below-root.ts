import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { ToolError } from '@bindery/mcp';
import { trustedPart } from '@bindery/sdk/reading';

/**
 * Returns the path on this machine of a folder named relative to the root, which need not exist. Throws `ToolError` if
 * a step of it is a link or a file, leads up, or is one that other programs trust.
 *
 * @param root its real path
 */
export function resolveBelowRoot(root: string, folder: string): string {
  if (folder === '.') return root;
  const trusted = trustedPart(folder);
  if (trusted !== null) throw trustedFolder(folder, trusted);
  let place = root;
  for (const step of folder.split('/')) {
    if (!STEP.test(step) || step === '.' || step === '..') throw outside(folder);
    place = join(place, step);
    const found = lstatSync(place, { throwIfNoEntry: false });
    if (found !== undefined && !found.isDirectory()) throw outside(folder);
  }
  return place;
}

function trustedFolder(folder: string, trusted: string): ToolError {
  return new ToolError(
    'trusted_folder',
    `${JSON.stringify(folder)} is in ${trusted}, where other programs find what they run or trust.`,
    'Give another folder, such as scenes/kitchen.',
  );
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
