import type { AssetStatistics, ManifestAsset } from '@bindery/contract';
import type { ThumbnailCache } from './thumbnail-cache.ts';
import { renderRequest, type ThumbnailOptions, type ThumbnailRenderer } from './thumbnails.ts';
import { workThrough } from './work-through.ts';

interface MeasuredAssets {
  /** By asset id. */
  statistics: ReadonlyMap<string, AssetStatistics>;
  /** In a plan, how many assets have yet to be measured; otherwise 0. */
  pending: number;
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
  if (dryRun || missing.length === 0) return { statistics, pending: missing.length };
  const work = { label: 'Measuring assets', unit: 'assets' } as const;
  await workThrough(missing, work, renderer, { signal, progress }, async (asset) => {
    keep(asset, await measureOne(asset, root, renderer, cache));
  });
  return { statistics, pending: 0 };
}

/** Measures an asset. Caches the result unless the failure is transient. */
async function measureOne(
  asset: ManifestAsset,
  root: string,
  renderer: ThumbnailRenderer,
  cache: ThumbnailCache,
): Promise<AssetStatistics | undefined> {
  const measured = await renderer.measure(renderRequest(asset, root));
  const statistics = 'warning' in measured ? undefined : measured.statistics;
  const lasting = !('transient' in measured && measured.transient);
  if (lasting) cache.keepStatistics(asset, statistics);
  return statistics;
}
