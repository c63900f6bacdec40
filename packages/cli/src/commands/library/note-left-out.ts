import type { LeftOut } from '@bindery/sdk/libraries';
import type { Output } from '../../output/output.ts';
import { count, plain } from '../../output/text.ts';

const LISTED = 20;
/** Reasons without a warning for each file. */
const COUNTED: ReadonlySet<string> = new Set(['hidden', 'system file', 'in no asset', 'credits of a pull']);

/** Reports what is in a folder but not part of the library. */
export function noteLeftOut(leftOut: readonly LeftOut[], output: Output): void {
  const quiet = leftOut.filter(({ reason }) => reason === 'hidden' || reason === 'system file');
  if (quiet.length > 0) output.note(`Left out: ${count(quiet.length, 'hidden or system file')}.`);
  const unused = leftOut.filter(({ reason }) => reason === 'in no asset');
  if (unused.length > 0)
    output.note(`Left out, because no asset uses them: ${count(unused.length, 'file')}:`);
  for (const { path } of unused.slice(0, LISTED)) output.note(`  ${plain(path)}`);
  if (unused.length > LISTED) output.note(`  … and ${unused.length - LISTED} more`);
  for (const { path, reason } of leftOut) {
    if (!COUNTED.has(reason)) output.warn(`${plain(path)} was left out: ${reason}`);
  }
}
