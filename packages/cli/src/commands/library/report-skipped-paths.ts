import { describeRule, type SkippedPath, type SkipReason } from '@bindery/sdk/libraries';
import type { Output } from '../../output/output.ts';
import { formatCount, formatNumber, sanitizeLine } from '../../output/text.ts';

const MAX_LISTED = 20;

/** Reports what is in a folder but not part of the library: what is left out by design as notes, the rest as warnings. */
export function reportSkippedPaths(leftOut: readonly SkippedPath[], output: Output): void {
  const of = (...reasons: SkipReason[]) => leftOut.filter(({ reason }) => reasons.includes(reason));
  const quiet = of('hidden', 'system file');
  if (quiet.length > 0) output.note(`Left out: ${formatCount(quiet.length, 'hidden or system file')}.`);
  const stated = of('ignored', 'excluded').map((one) => `${one.path} (${describeRule(one)})`);
  list(
    `Left out by your rules: ${formatCount(stated.length, 'file or folder', 'files and folders')}:`,
    stated,
  );
  const unused = of('in no asset').map(({ path }) => path);
  list(`Left out, because no asset uses them: ${formatCount(unused.length, 'file')}:`, unused);
  const told = new Set([...quiet, ...of('ignored', 'excluded', 'in no asset', 'credits of a pull')]);
  const others = leftOut.filter((one) => !told.has(one));
  for (const one of others.slice(0, MAX_LISTED))
    output.warn(`${sanitizeLine(one.path)} was left out: ${describeRule(one)}`);
  if (others.length > MAX_LISTED)
    output.warn(`${formatNumber(others.length - MAX_LISTED)} more were left out; --json names them`);

  function list(title: string, lines: readonly string[]): void {
    if (lines.length === 0) return;
    output.note(title);
    for (const line of lines.slice(0, MAX_LISTED)) output.note(`  ${sanitizeLine(line)}`);
    if (lines.length > MAX_LISTED) output.note(`  … and ${formatNumber(lines.length - MAX_LISTED)} more`);
  }
}
