import { availableParallelism } from 'node:os';
import type { ThumbnailRenderer, ThumbnailReport } from '@bindery/sdk/libraries';
import { flag } from '../../command.ts';
import type { Output } from '../../output/output.ts';
import { optionalPackage } from './optional-package.ts';
import { warnOfAssets } from './warn-of-assets.ts';

export const thumbnails = flag('draw a thumbnail for each asset that brings none');

const MOST_PROCESSES = 4;
/** What one asset may take. */
const TIMEOUT_MS = 60_000;
const MEMORY_MIB = 2_048;

/** Runs work with what draws thumbnails, where they are wanted; its processes start with the first that has to be drawn. */
export async function withRenderer<T>(
  wanted: boolean,
  work: (renderer: ThumbnailRenderer | undefined) => Promise<T>,
): Promise<T> {
  if (!wanted) return work(undefined);
  const { createThumbnailPool, RENDERER_VERSION } = await optionalPackage(
    '@bindery/render',
    'Drawing thumbnails',
    () => import('@bindery/render'),
  );
  const atOnce = Math.min(availableParallelism(), MOST_PROCESSES);
  await using pool = createThumbnailPool({ workers: atOnce, timeoutMs: TIMEOUT_MS, memoryMiB: MEMORY_MIB });
  return await work({
    version: RENDERER_VERSION,
    atOnce,
    render: (request) => pool.render(request),
    close: () => pool.close(),
  });
}

/** What became of thumbnails, and which assets have none. */
export function noteThumbnails(report: ThumbnailReport | null, planned: boolean, output: Output): void {
  if (report === null) return;
  const { authored, rendered, cached, warnings } = report;
  const without = warnings.length === 0 ? '' : `, ${warnings.length} without`;
  output.note(
    `Thumbnails: ${rendered} ${planned ? 'to draw' : 'drawn'}, ${cached} drawn before, ${authored} by the authors${without}.`,
  );
  warnOfAssets('no thumbnail of', warnings, output);
}
