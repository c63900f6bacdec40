import type { AssetPreview, FolderPreview, PublishOptions } from '@bindery/sdk/libraries';
import type { Context } from '../../context.ts';
import { type Output, widthOf } from '../../output/output.ts';
import { renderTable, truncate } from '../../output/table.ts';
import { formatBytes, formatCount, formatNumber, sanitizeLine } from '../../output/text.ts';
import { reportSkippedPaths } from './report-push.ts';

/** Maximum widths of columns on a terminal, so that all of them fit into eighty columns. */
const WIDTHS = { id: 20, entry: 13, license: 12 };
const CURATED = 'bindery.yml';

/**
 * Prints what a push would make of the assets, one per line. Goes to stderr, for people only, so that stdout stays
 * short for scripts; `--json` has all of it. Names are cut only to fit a terminal. An asterisk marks what does not come from `bindery.yml`.
 */
export function showPreview(assets: readonly AssetPreview[], output: Output): void {
  const width = widthOf(output.streams.stderr) ?? Number.POSITIVE_INFINITY;
  const fit = (text: string, column: keyof typeof WIDTHS) =>
    Number.isFinite(width) ? truncate(text, WIDTHS[column]) : text;
  const table = {
    headings: ['asset', 'kind', 'opens', 'files', 'size', 'licence', 'title'],
    rightAligned: [3, 4],
    rows: assets.map((asset) => [
      fit(sanitizeLine(asset.id), 'id'),
      sanitizeLine(asset.kind),
      fit(sanitizeLine(lastOf(asset.entry)), 'entry'),
      formatNumber(asset.files),
      formatBytes(asset.bytes),
      fit(marked(asset, 'license'), 'license'),
      marked(asset, 'title'),
    ]),
  };
  for (const line of renderTable(table, width)) output.note(line);
  const derived = assets.filter(({ from }) => Object.values(from).some((origin) => !isCurated(origin)));
  if (derived.length > 0) {
    output.note(
      `* read from the files of ${formatCount(derived.length, 'asset')}; --json says which, and "bindery library init" writes it all down for editing.`,
    );
  }
  const unlicensed = assets.filter(({ license }) => license === null);
  if (unlicensed.length > 0) output.note(`${formatCount(unlicensed.length, 'asset')} without a licence.`);
}

function marked(asset: AssetPreview, key: 'license' | 'title'): string {
  const value = asset[key];
  if (value === null) return '';
  const origin = asset.from[key];
  return sanitizeLine(origin === undefined || isCurated(origin) ? value : `${value}*`);
}

function isCurated(origin: string | undefined): boolean {
  return origin?.startsWith(CURATED) === true;
}

function lastOf(path: string | null): string {
  return path === null ? '' : path.slice(path.lastIndexOf('/') + 1);
}

/** The plan of a push without a sign-in: what the folder would become, but not what that would change. */
export interface SignedOutPlan extends FolderPreview {
  status: 'preview';
}

export async function previewSignedOut(
  dir: string,
  rules: PublishOptions,
  { environment, signal }: Context,
): Promise<SignedOutPlan> {
  const { cacheFolder, previewFolder } = await import('@bindery/sdk/libraries');
  const options = { ...rules, cacheFolder: cacheFolder(environment), signal };
  return { status: 'preview', ...(await previewFolder(dir, options)) };
}

export function showSignedOutPlan({ preview, leftOut, warnings }: SignedOutPlan, output: Output): void {
  reportSkippedPaths(leftOut, output);
  for (const warning of warnings) output.warn(sanitizeLine(warning));
  showPreview(preview, output);
  output.note('Run "bindery login" to see what a push would change; nothing was sent.');
}
