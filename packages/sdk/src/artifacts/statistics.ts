import type { ManifestAsset } from '@bindery/contract';
import {
  LIMITS,
  MAX_MISSING_NAME_LENGTH,
  MAX_MISSING_NAMES,
  readClaim,
  readMissing,
  utf8Length,
} from '@bindery/contract/wire';
import { namesMissingFile } from '../discovery/discovered-library.ts';
import type { Finding } from '../discovery/graph/closure.ts';
import { sameFiles } from '../library/manifest.ts';

/** Returns the asset with statistics, if there are any, in its `meta`; without them if they do not fit in there. */
export function withStatistics(asset: ManifestAsset, statistics: unknown): ManifestAsset {
  return withMeta(asset, { statistics });
}

/** Returns the asset with what its models name and its folder lacks in its `meta`, unless its author says it there. */
export function withMissing(asset: ManifestAsset, findings: readonly Finding[]): ManifestAsset {
  const texts = new Set(findings.filter(namesMissingFile).map(({ text }) => text));
  if (texts.size === 0 || asset.meta?.missing !== undefined) return asset;
  const names = [...texts]
    .slice(0, MAX_MISSING_NAMES)
    .map((text) => text.slice(0, MAX_MISSING_NAME_LENGTH).toWellFormed());
  const named = withMeta(asset, { missing: { total: texts.size, names } });
  return named === asset ? withMeta(asset, { missing: { total: texts.size, names: [] } }) : named;
}

/** Returns the asset with this in its `meta`, if there is room for it. */
export function withMeta(asset: ManifestAsset, found: Readonly<Record<string, unknown>>): ManifestAsset {
  if (Object.values(found).every((value) => value === undefined)) return asset;
  const meta = { ...asset.meta, ...found };
  return utf8Length(JSON.stringify(meta)) > LIMITS.manifest.metaBytes ? asset : { ...asset, meta };
}

/** Returns what people wrote about the asset in its `meta`; undefined if that is nothing. */
export function writtenMeta({ meta }: Pick<ManifestAsset, 'meta'>): ManifestAsset['meta'] {
  if (meta === undefined) return meta;
  const isFound: Readonly<Record<string, boolean>> = {
    statistics: true,
    missing: readMissing(meta) !== null,
    simready: readClaim(meta) !== null,
  };
  const written = Object.fromEntries(Object.entries(meta).filter(([name]) => isFound[name] !== true));
  return Object.keys(written).length === 0 ? undefined : written;
}

/** Keeps the statistics of an asset that states none itself and whose files have not changed. */
export function carryStatistics(asset: ManifestAsset, earlier: ManifestAsset | undefined): ManifestAsset {
  const statistics = earlier?.meta?.statistics;
  if (earlier === undefined || statistics === undefined || asset.meta?.statistics !== undefined) return asset;
  if (!sameFiles(asset, earlier)) return asset;
  return withStatistics(asset, statistics);
}
