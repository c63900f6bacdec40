import { availableParallelism } from 'node:os';
import type { ThumbnailPool } from '@bindery/render';
import type { Omissions, ThumbnailRenderer, ThumbnailReport } from '@bindery/sdk/libraries';
import { flag } from '../../command.ts';
import type { Output } from '../../output/output.ts';
import { formatCount, formatNumber } from '../../output/text.ts';
import { isMissingPackage, optionalPackage } from '../optional-package.ts';
import { warnOfAssets } from './report.ts';

export const thumbnails = flag('draw a thumbnail of each asset that comes without one');

const MAX_PROCESSES = 4;
/** Limits for one asset. */
const TIMEOUT_MS = 60_000;
const MEMORY_MIB = 2_048;

/** What a push or an addition is given to draw and measure with. */
export interface RendererOptions {
  renderer: ThumbnailRenderer | undefined;
  measuresOnly: boolean;
}

/**
 * Runs `work` with a renderer that draws, or only measures. Where it is not installed, it cannot be asked to draw, and
 * nothing is measured, which `output` says.
 */
export async function withRenderer<T>(
  draws: boolean,
  output: Pick<Output, 'note'>,
  work: (options: RendererOptions) => Promise<T>,
): Promise<T> {
  await using renderer = await openThumbnailPool('Drawing thumbnails').catch((error: unknown) => {
    if (draws || !isMissingPackage(error)) throw error;
    output.note('Sizes, joints and masses are not measured: @bindery/render is not installed.');
    return undefined;
  });
  return await work({ renderer, measuresOnly: !draws });
}

/** Opens processes that draw, measure and describe; they start with the first task. */
export async function openThumbnailPool(purpose: string): Promise<ThumbnailRenderer & ThumbnailPool> {
  const { createThumbnailPool, RENDERER_VERSION } = await optionalPackage(
    '@bindery/render',
    purpose,
    () => import('@bindery/render'),
  );
  const concurrency = Math.min(availableParallelism(), MAX_PROCESSES);
  const pool = createThumbnailPool({ workers: concurrency, timeoutMs: TIMEOUT_MS, memoryMiB: MEMORY_MIB });
  return { ...pool, version: RENDERER_VERSION, concurrency };
}

/** Reports what was done about thumbnails, which assets have none, and which pictures are incomplete. */
export function reportThumbnails(report: ThumbnailReport | null, planned: boolean, output: Output): void {
  if (report === null) return;
  const { authored, resized, rendered, cached, warnings, incomplete, unmeasured } = report;
  const without = warnings.length === 0 ? '' : `, ${warnings.length} without`;
  const partly = incomplete.length === 0 ? '' : `, ${incomplete.length} incomplete`;
  const smaller = resized === 0 ? '' : ` (${resized} reduced)`;
  output.note(
    `Thumbnails: ${rendered} ${planned ? 'to draw' : 'drawn'}, ${cached} reused, ${authored + resized} by the authors${smaller}${without}${partly}.`,
  );
  warnOfAssets('no thumbnail of', warnings, output);
  const gaps = incomplete.map(({ asset, omissions }) => ({ asset, warning: formatOmissions(omissions) }));
  warnOfAssets('thumbnail of', gaps, output);
  warnOfAssets('no measures of', unmeasured, output);
}

const PARTS = [
  ['meshes', 'mesh'],
  ['textures', 'texture'],
  ['instances', 'instance'],
] as const;
const MAX_NAMED = 4;

/** `drawn without 2 of 7 meshes (hand.stl: no such file; foot.dae: …)`, and so on for what else is missing. */
function formatOmissions(omissions: Omissions): string {
  const parts = PARTS.flatMap(([part, one]) => {
    const shortfall = omissions[part];
    if (shortfall === undefined) return [];
    const { total, missing, named } = shortfall;
    const names = named.slice(0, MAX_NAMED).map(({ name, reason }) => `${name}: ${reason}`);
    const list = missing > MAX_NAMED && named.length > MAX_NAMED ? [...names, '…'] : names;
    return [`${formatNumber(missing)} of ${formatCount(total, one, part)} (${list.join('; ')})`];
  });
  return `drawn without ${parts.join(' and ')}`;
}
