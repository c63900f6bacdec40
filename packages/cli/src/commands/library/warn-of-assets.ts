import type { Output } from '../../output/output.ts';
import { count, plain } from '../../output/text.ts';

const LISTED = 20;

/** Warns about the first assets one by one, and gives the number of the others. */
export function warnOfAssets(
  what: string,
  warnings: readonly { asset: string; warning: string }[],
  output: Output,
): void {
  for (const { asset, warning } of warnings.slice(0, LISTED)) {
    output.warn(`${what} ${asset}: ${plain(warning)}`);
  }
  const more = warnings.length - LISTED;
  if (more > 0) output.warn(`… and ${count(more, 'more asset')} likewise; --json lists them all`);
}
