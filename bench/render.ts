import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createThumbnailPool, type ThumbnailRequest } from '../packages/render/src/index.ts';
import type { BenchmarkRow } from './results-table.ts';

const DATA = new URL('../../shared/data/', import.meta.url);
const LIBRARY = 'menagerie-dev';
const PROCESSES = 2;
const ROUNDS = 2;
const [RATE_TARGET, MEMORY_TARGET] = [2, 768];

interface DescribedAsset {
  library: string;
  kind: string;
  format: string;
  entry: string;
  files: { path: string; size: number }[];
}

/** Draws every asset of a robot library twice in two processes, including their start. No rows without the library. */
export async function benchRender(): Promise<BenchmarkRow[]> {
  if (!existsSync(DATA)) {
    process.stderr.write(`There is no ${DATA.pathname}: no thumbnails to draw.\n`);
    return [];
  }
  const { assets } = JSON.parse(await readFile(new URL('assets.json', DATA), 'utf8')) as {
    assets: DescribedAsset[];
  };
  const requests = assets.filter((asset) => asset.library === LIBRARY).map(toRequest);
  const jobs = Array.from({ length: ROUNDS }, () => requests).flat();
  const start = performance.now();
  await using pool = createThumbnailPool({ workers: PROCESSES, timeoutMs: 60_000, memoryMiB: 2048 });
  const thumbnails = await Promise.all(jobs.map((request) => pool.render(request)));
  const perSecond = jobs.length / ((performance.now() - start) / 1000);
  for (const thumbnail of thumbnails) if ('warning' in thumbnail) throw new Error(thumbnail.warning);
  const { processorSeconds, peakMebibytes } = await costOfChildren();
  return [
    {
      work: `thumbnails of ${jobs.length} robots, ${PROCESSES} processes`,
      bindery: `${perSecond.toFixed(2)} /s, ${(processorSeconds / jobs.length).toFixed(2)} s of a processor each`,
      peer: '',
      ratio: '',
      target: `${RATE_TARGET} /s`,
      met: perSecond >= RATE_TARGET,
    },
    {
      work: 'memory of a process that draws, peak',
      bindery: `${Math.round(peakMebibytes)} MiB`,
      peer: '',
      ratio: '',
      target: `${MEMORY_TARGET} MiB`,
      met: peakMebibytes <= MEMORY_TARGET,
    },
  ];
}

function toRequest({ library, kind, format, entry, files }: DescribedAsset): ThumbnailRequest {
  const sizes = new Map(files.map(({ path, size }) => [path, size]));
  const read = (path: string) =>
    readFile(new URL(`${library}/${path.split('/').map(encodeURIComponent).join('/')}`, DATA));
  return { kind, format, entry, files: { sizes, read } };
}

const TICKS_A_SECOND = 100;

/** Returns the CPU time and peak memory of the child processes so far, as reported by Linux. */
async function costOfChildren(): Promise<{ processorSeconds: number; peakMebibytes: number }> {
  const children = await readFile(`/proc/self/task/${process.pid}/children`, 'utf8');
  let [ticks, peakKibibytes] = [0, 0];
  for (const child of children.trim().split(' ')) {
    const [stat, status] = await Promise.all(
      ['stat', 'status'].map((name) => readFile(`/proc/${child}/${name}`, 'utf8')),
    );
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
    ticks += Number(fields?.[11]) + Number(fields?.[12]);
    peakKibibytes = Math.max(peakKibibytes, Number(/VmHWM:\s*(\d+)/.exec(status ?? '')?.[1]));
  }
  return { processorSeconds: ticks / TICKS_A_SECOND, peakMebibytes: peakKibibytes / 1024 };
}
