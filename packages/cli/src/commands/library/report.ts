import { rawPath } from '@bindery/contract/wire';
import type { Client, LibraryAddress } from '@bindery/sdk';
import type { PullResult } from '@bindery/sdk/reading';
import type { Output } from '../../output/output.ts';
import { formatCount, formatNumber, sanitizeLine } from '../../output/text.ts';

const MAX_LISTED = 20;

/** Warns about paths, if there are any: lists the first ones, and gives the number of the others. */
export function warnOfPaths(what: string, paths: readonly string[], output: Output): void {
  if (paths.length > 0) output.warn([`${what}:`, ...firstOf(paths)].join('\n  '));
}

/** Like `warnOfPaths`, for files with which nothing is wrong. */
export function notePaths(what: string, paths: readonly string[], output: Output): void {
  if (paths.length === 0) return;
  output.note(
    [`${formatCount(paths.length, 'file was', 'files were')} ${what}:`, ...firstOf(paths)].join('\n  '),
  );
}

function firstOf(paths: readonly string[]): string[] {
  const more = paths.length - MAX_LISTED;
  const lines = paths.slice(0, MAX_LISTED).map(sanitizeLine);
  return more > 0 ? [...lines, `… and ${formatNumber(more)} more; --json lists them all`] : lines;
}

/** Warns about files that were moved away from a folder, if any, and says how to restore them. */
export function warnOfFilesSetAside(
  setAside: PullResult['setAside'],
  why: string,
  folder: string,
  output: Output,
): void {
  if (setAside === null) return;
  const files = formatCount(setAside.files.length, 'file was', 'files were');
  warnOfPaths(`${files} moved to ${sanitizeLine(setAside.folder)} and ${why}`, setAside.files, output);
  output.note(`Restore them within 30 days: ${copyCommand(setAside.folder, folder)}`);
}

/** Returns a command for the user's shell that copies a folder's files over those of another. */
function copyCommand(from: string, to: string): string {
  return process.platform === 'win32'
    ? `xcopy /E /H /Y /I "${from}" "${to}"`
    : `cp -R ${shellWord(`${from}/.`)} ${shellWord(to)}`;
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

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

/** Returns the address of a library's page in the dashboard. */
export function pageOf(
  { baseUrl }: Pick<Client, 'baseUrl'>,
  { namespace, name }: LibraryAddress,
  share?: string,
): string {
  const query = share === undefined ? '' : `?${new URLSearchParams({ share })}`;
  return `${baseUrl}/app/${namespace}/${name}${query}`;
}

/** Returns the permanent address of a file or folder of a library. */
export function rawUrl(
  { baseUrl }: Pick<Client, 'baseUrl'>,
  { share, ...library }: LibraryAddress,
  path = '',
): string {
  const query = share === undefined ? '' : `?${new URLSearchParams({ share })}`;
  return baseUrl + rawPath(library, path) + query;
}

/** What to do about searches by keyword only, by reason. */
const REMEDIES: Readonly<Record<string, string>> = {
  'encoder-unavailable':
    'the service has no model ready; it is loading, failed or is switched off: see the log of the service',
  'no-sidecar': 'there are no vectors; "library push --thumbnails --embed" computes them',
  'model-mismatch':
    'the vectors were computed with a different model than the service uses; "push --embed --model" computes matching ones',
  'unknown-words':
    'the model of the service does not know these words, or not their script; only the words themselves were searched',
};

/** Returns the service's reason why a search is not semantic, and what to do about it if anything can be done. */
export function explainReason(reason: string): string {
  const remedy = REMEDIES[reason];
  return remedy === undefined ? reason : `${reason}: ${remedy}`;
}
