import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createThumbnailPool, type ThumbnailRequest } from '../packages/render/src/index.ts';
import { childrenOf, cpuSecondsOf, peakMebibytes } from './processes.ts';
import { DATA, realAssets } from './real-assets.ts';
import { type BenchmarkRow, limitRow } from './results.ts';

const LIBRARY = 'menagerie-dev';
const PROCESSES = 2;
const ROUNDS = 2;
const RATE_TARGET = 2;

/** Draws every asset of a robot library twice in two processes, including their start. No rows without the library. */
export async function benchRender(): Promise<BenchmarkRow[]> {
  const requests = realAssets()
    .filter(({ library }) => library === LIBRARY)
    .map(({ kind, format, entry, files }): ThumbnailRequest => {
      const sizes = new Map(files.map(({ path, size }) => [path, size]));
      return { kind, format, entry, files: { sizes, read: (path) => readFile(join(DATA, LIBRARY, path)) } };
    });
  if (requests.length === 0) return [];
  const jobs = Array.from({ length: ROUNDS }, () => requests).flat();
  const start = performance.now();
  await using pool = createThumbnailPool({ workers: PROCESSES, timeoutMs: 60_000, memoryMiB: 2048 });
  const thumbnails = await Promise.all(jobs.map((request) => pool.render(request)));
  const perSecond = jobs.length / ((performance.now() - start) / 1000);
  for (const thumbnail of thumbnails) if ('warning' in thumbnail) throw new Error(thumbnail.warning);
  const children = childrenOf(process.pid);
  const cost = `${(cpuSecondsOf(children) / jobs.length).toFixed(2)} s of a processor each`;
  const peak = Math.max(...children.map(peakMebibytes));
  return [
    {
      work: `thumbnails of ${jobs.length} robots, ${PROCESSES} processes`,
      bindery: `${perSecond.toFixed(2)} /s, ${cost}`,
      target: `${RATE_TARGET} /s`,
      met: perSecond >= RATE_TARGET,
    },
    limitRow('memory of a process that draws, peak', peak, 768, 'MiB'),
  ];
}
