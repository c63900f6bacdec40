import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createThumbnailPool, type ThumbnailRequest } from '../packages/render/src/index.ts';

const DATA = new URL('../../shared/data/', import.meta.url);
const LIBRARY = 'menagerie-dev';
const WORKERS = 2;
const ROUNDS = 2;

export interface RenderRate {
  assets: number;
  /** Assets in a second, the start of the threads included. */
  perSecond: number;
  warnings: string[];
}

interface DescribedAsset {
  library: string;
  kind: string;
  format: string;
  entry: string;
  files: { path: string; size: number }[];
}

/** Draws every asset of a library of robots twice in two threads. Undefined where the library is not there. */
export async function benchRender(): Promise<RenderRate | undefined> {
  if (!existsSync(DATA)) return undefined;
  const { assets } = JSON.parse(await readFile(new URL('assets.json', DATA), 'utf8')) as {
    assets: DescribedAsset[];
  };
  const requests = assets.filter((asset) => asset.library === LIBRARY).map(toRequest);
  const jobs = Array.from({ length: ROUNDS }, () => requests).flat();
  const start = performance.now();
  await using pool = createThumbnailPool({ workers: WORKERS, timeoutMs: 60_000, memoryMiB: 2048 });
  const thumbnails = await Promise.all(jobs.map((request) => pool.render(request)));
  const seconds = (performance.now() - start) / 1000;
  const warnings = thumbnails.flatMap((thumbnail) => ('warning' in thumbnail ? [thumbnail.warning] : []));
  return { assets: jobs.length, perSecond: jobs.length / seconds, warnings };
}

function toRequest({ library, kind, format, entry, files }: DescribedAsset): ThumbnailRequest {
  const sizes = new Map(files.map(({ path, size }) => [path, size]));
  const read = (path: string) =>
    readFile(new URL(`${library}/${path.split('/').map(encodeURIComponent).join('/')}`, DATA));
  return { kind, format, entry, files: { sizes, read } };
}

if (import.meta.main) {
  const rate = await benchRender();
  if (rate === undefined) console.log(`no ${DATA.pathname}: nothing to draw`);
  else console.log(`${rate.assets} thumbnails, ${rate.perSecond.toFixed(2)} a second`, ...rate.warnings);
}
