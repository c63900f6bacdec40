import type { Output } from '../../output/output.ts';
import { formatCount, sanitizeLine } from '../../output/text.ts';

const MAX_LISTED = 20;

/** Warns about the first assets one by one, and gives the number of the others. */
export function warnOfAssets(
  what: string,
  warnings: readonly { asset: string; warning: string }[],
  output: Output,
): void {
  for (const { asset, warning } of warnings.slice(0, MAX_LISTED)) {
    output.warn(`${what} ${asset}: ${sanitizeLine(warning)}`);
  }
  const more = warnings.length - MAX_LISTED;
  if (more > 0) output.warn(`… and ${formatCount(more, 'more asset')} likewise; --json lists them all`);
}
