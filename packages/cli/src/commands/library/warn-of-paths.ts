import type { Output } from '../../output/output.ts';
import { formatNumber, sanitizeLine } from '../../output/text.ts';

const MAX_LISTED = 20;

/** Warns about paths, if there are any: lists the first ones, and gives the number of the others. */
export function warnOfPaths(what: string, paths: readonly string[], output: Output): void {
  if (paths.length === 0) return;
  const more = paths.length - MAX_LISTED;
  const lines = paths.slice(0, MAX_LISTED).map(sanitizeLine);
  if (more > 0) lines.push(`… and ${formatNumber(more)} more; --json lists them all`);
  output.warn([`${what}:`, ...lines].join('\n  '));
}
