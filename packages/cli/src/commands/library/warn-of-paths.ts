import type { Output } from '../../output/output.ts';
import { formatNumber, plain } from '../../output/text.ts';

const LISTED = 20;

/** Warns about paths, if there are any: lists the first ones, and gives the number of the others. */
export function warnOfPaths(what: string, paths: readonly string[], output: Output): void {
  if (paths.length === 0) return;
  const more = paths.length - LISTED;
  const lines = paths.slice(0, LISTED).map(plain);
  if (more > 0) lines.push(`… and ${formatNumber(more)} more; --json lists them all`);
  output.warn([`${what}:`, ...lines].join('\n  '));
}
