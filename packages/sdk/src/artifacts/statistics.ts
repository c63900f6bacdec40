import type { ManifestAsset } from '@bindery/contract';
import { LIMITS, utf8Length } from '@bindery/contract/wire';
import { digestOf } from '../library/manifest.ts';

/** Returns the asset with statistics, if there are any, in its `meta`; without them if they do not fit in there. */
export function withStatistics(asset: ManifestAsset, statistics: unknown): ManifestAsset {
  if (statistics === undefined) return asset;
  const meta = { ...asset.meta, statistics };
  return utf8Length(JSON.stringify(meta)) > LIMITS.manifest.metaBytes ? asset : { ...asset, meta };
}

/** Returns what people wrote about the asset in its `meta`; undefined if that is nothing. */
export function withoutStatistics({ meta }: ManifestAsset): ManifestAsset['meta'] {
  if (meta?.statistics === undefined) return meta;
  const { statistics: _, ...written } = meta;
  return Object.keys(written).length === 0 ? undefined : written;
}

/** Keeps the statistics of an asset that states none itself and whose files have not changed. */
export function carryStatistics(asset: ManifestAsset, earlier: ManifestAsset | undefined): ManifestAsset {
  const statistics = earlier?.meta?.statistics;
  if (earlier === undefined || statistics === undefined || asset.meta?.statistics !== undefined) return asset;
  if (digestOf(asset.files) !== digestOf(earlier.files)) return asset;
  return withStatistics(asset, statistics);
}
