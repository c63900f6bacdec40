import type { SkippedPath } from '@bindery/sdk/libraries';
import type { Output } from '../../output/output.ts';
import { formatCount, sanitizeLine } from '../../output/text.ts';

const MAX_LISTED = 20;
/** Reasons without a warning for each file. */
const COUNTED: ReadonlySet<string> = new Set(['hidden', 'system file', 'in no asset', 'credits of a pull']);

/** Reports what is in a folder but not part of the library. */
export function reportSkippedPaths(leftOut: readonly SkippedPath[], output: Output): void {
  const quiet = leftOut.filter(({ reason }) => reason === 'hidden' || reason === 'system file');
  if (quiet.length > 0) output.note(`Left out: ${formatCount(quiet.length, 'hidden or system file')}.`);
  const unused = leftOut.filter(({ reason }) => reason === 'in no asset');
  if (unused.length > 0)
    output.note(`Left out, because no asset uses them: ${formatCount(unused.length, 'file')}:`);
  for (const { path } of unused.slice(0, MAX_LISTED)) output.note(`  ${sanitizeLine(path)}`);
  if (unused.length > MAX_LISTED) output.note(`  … and ${unused.length - MAX_LISTED} more`);
  for (const { path, reason } of leftOut) {
    if (!COUNTED.has(reason)) output.warn(`${sanitizeLine(path)} was left out: ${reason}`);
  }
}
