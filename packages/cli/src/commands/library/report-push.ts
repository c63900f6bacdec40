import {
  describeRule,
  type LostArtifacts,
  type PushPlan,
  type SkippedPath,
  type SkipReason,
} from '@bindery/sdk/libraries';
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

/** Reports that changed assets no longer have a picture or vectors, and how to make new ones. */
export function reportLostArtifacts({ thumbnails, vectors }: LostArtifacts, output: Output): void {
  const lost = [
    ...(thumbnails > 0 ? [`the drawn thumbnails of ${formatCount(thumbnails, 'asset')}`] : []),
    ...(vectors > 0 ? [`the vectors of ${formatCount(vectors, 'asset')}`] : []),
  ];
  if (lost.length === 0) return;
  output.note(`The changes dropped ${lost.join(' and ')}; --thumbnails --embed creates new ones.`);
}

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
