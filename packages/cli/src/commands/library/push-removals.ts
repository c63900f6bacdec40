import { describeRule, type PushPlan } from '@bindery/sdk/libraries';
import type { Output } from '../../output/output.ts';
import { formatCount, formatNumber, sanitizeLine } from '../../output/text.ts';

const MAX_LISTED = 20;

/** What a push removes of assets that stay: the reason to ask before it. */
type Removals = Pick<PushPlan, 'removedMetadata'> & Partial<Pick<PushPlan, 'withheld'>>;

/** Lists the texts and licences that are removed, and the published files that the folder leaves out. */
export function reportRemovals({ removedMetadata, withheld = [] }: Removals, output: Output): void {
  const lines = [
    ...removedMetadata.map(({ asset, keys }) => `${asset ?? 'the library'} loses its ${keys.join(', ')}`),
    ...withheld.map((file) => `${file.path} is published and will be removed: it is ${describeRule(file)}`),
  ];
  for (const line of lines.slice(0, MAX_LISTED)) output.warn(sanitizeLine(line));
  if (lines.length > MAX_LISTED)
    output.warn(`${formatNumber(lines.length - MAX_LISTED)} more of these; --dry-run --json lists them`);
}

/** Returns a question that names what is lost in numbers. */
export function removalQuestion({ removedMetadata, withheld = [] }: Removals): string {
  const keys = removedMetadata.flatMap((one) => one.keys);
  const licenses = keys.filter((key) => key === 'license').length;
  const parts = [
    [keys.length - licenses, 'text'],
    [licenses, 'licence'],
    [withheld.length, 'file that this folder leaves out', 'files that this folder leaves out'],
  ] as const;
  const lost = parts.flatMap(([count, one, many = `${one}s`]) =>
    count === 0 ? [] : [formatCount(count, one, many)],
  );
  return `Remove ${lost.join(' and ')} from the library?`;
}
