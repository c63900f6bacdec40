import type { AssetPreview } from '@bindery/sdk/libraries';
import type { Output } from '../../output/output.ts';
import { cut } from '../../output/table.ts';
import { count, formatBytes, formatNumber, plain } from '../../output/text.ts';

/** The widest that a column may be on a terminal, so that eighty columns hold all of them. */
const WIDTHS = { id: 20, kind: 5, entry: 14, license: 12, title: 60 };
const CURATED = 'bindery.yml';

/** What a push would make of the assets. A star marks what nobody wrote into `bindery.yml`. */
export function showPreview(assets: readonly AssetPreview[], output: Output): void {
  const isTerminal = output.streams.stdout.isTTY === true;
  const fit = (text: string, width: number) => (isTerminal ? cut(text, width) : text);
  output.table({
    headings: ['asset', 'kind', 'opens', 'files', 'size', 'licence', 'title'],
    right: [3, 4],
    rows: assets.map((asset) => [
      fit(plain(asset.id), WIDTHS.id),
      fit(plain(asset.kind), WIDTHS.kind),
      fit(plain(isTerminal ? lastOf(asset.entry) : (asset.entry ?? '')), WIDTHS.entry),
      formatNumber(asset.files),
      formatBytes(asset.bytes),
      fit(marked(asset, 'license'), WIDTHS.license),
      fit(marked(asset, 'title'), WIDTHS.title),
    ]),
  });
  const derived = assets.filter(({ from }) => Object.values(from).some((origin) => !isCurated(origin)));
  if (derived.length > 0) {
    output.note(
      `* read from the files of ${count(derived.length, 'asset')}; --json says from which, and "bindery library init" writes it all down to be edited.`,
    );
  }
  const unlicensed = assets.filter(({ license }) => license === null);
  if (unlicensed.length > 0) output.note(`${count(unlicensed.length, 'asset')} without a licence.`);
}

function marked(asset: AssetPreview, key: 'license' | 'title'): string {
  const value = asset[key];
  if (value === null) return '';
  const origin = asset.from[key];
  return plain(origin === undefined || isCurated(origin) ? value : `${value}*`);
}

function isCurated(origin: string | undefined): boolean {
  return origin?.startsWith(CURATED) === true;
}

function lastOf(path: string | null): string {
  return path === null ? '' : path.slice(path.lastIndexOf('/') + 1);
}
