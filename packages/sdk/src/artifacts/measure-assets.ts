import type { AssetStatistics, ManifestAsset } from '@bindery/contract';
import type { ThumbnailCache } from './thumbnail-cache.ts';
import {
  renderRequest,
  type ThumbnailOptions,
  type ThumbnailRenderer,
  type ThumbnailReport,
} from './thumbnails.ts';
import { workThrough } from './work-through.ts';

interface MeasuredAssets {
  /** By asset id. */
  statistics: ReadonlyMap<string, AssetStatistics>;
  /** In a plan, how many assets have yet to be measured; otherwise 0. */
  pending: number;
  /** Those that another attempt may measure. */
  unfinished: ThumbnailReport['unmeasured'];
}

/** Measures assets that are not drawn. One that cannot be measured has no statistics, which is no reason for a warning. */
export async function measureAssets(
  assets: readonly ManifestAsset[],
  root: string,
  renderer: ThumbnailRenderer,
  cache: ThumbnailCache,
  { dryRun, signal, progress }: ThumbnailOptions,
): Promise<MeasuredAssets> {
  const statistics = new Map<string, AssetStatistics>();
  const keep = ({ id }: ManifestAsset, found: AssetStatistics | undefined) => {
    if (found !== undefined) statistics.set(id, found);
  };
  const missing: ManifestAsset[] = [];
  for (const asset of assets) {
    if (asset.entry === undefined || asset.kind === 'image') continue;
    const known = cache.findStatistics(asset);
    if (known === null) missing.push(asset);
    else keep(asset, known.statistics);
  }
  if (dryRun || missing.length === 0) return { statistics, pending: missing.length, unfinished: [] };
  const work = { label: 'Measuring assets', unit: 'assets' } as const;
  const unfinished: ThumbnailReport['unmeasured'] = [];
  await workThrough(missing, work, renderer, { signal, progress }, async (asset) => {
    const measured = await renderer.measure(renderRequest(asset, root));
    if ('warning' in measured && measured.transient) {
      unfinished.push({ asset: asset.id, warning: measured.warning });
      return;
    }
    const found = 'warning' in measured ? undefined : measured.statistics;
    cache.keepStatistics(asset, found);
    keep(asset, found);
  });
  return { statistics, pending: 0, unfinished };
}
