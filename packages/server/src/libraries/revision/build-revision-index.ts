import { hash } from 'node:crypto';
import {
  compareUtf8,
  DEFAULT_ENTRY_POINT_KIND,
  DEFAULT_KIND,
  digestText,
  effectiveLicense,
  formatDigest,
  type Manifest,
  type ManifestAsset,
  type ManifestLibrary,
  type ValidManifest,
} from '@bindery/contract';
import { buildKeywordIndex } from '../../search/keyword/build.ts';
import { type AssetCard, type AssetRemainder, encodeAssetTable, type TabledAsset } from './asset-table.ts';
import { type ClosureFile, encodeFileClosure } from './file-closure.ts';
import type { Sections } from './sections.ts';

/** A declared platform artifact, as it is stored. */
export interface StoredArtifact {
  path: string;
  size: number;
  sha256: string;
}

/** The sections of a revision's index, from a manifest that holds and its platform artifacts as stored. */
export function buildRevisionIndex(
  { manifest, files }: Pick<ValidManifest, 'manifest' | 'files'>,
  artifacts: readonly StoredArtifact[],
): Sections {
  const closure = closureOf(files, artifacts);
  const places = new Map(closure.map((file, place) => [file.path, place]));
  const assets = manifest.assets.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const table = assets.map((asset) => tabledAsset(asset, manifest.library, places));
  const keywords = buildKeywordIndex(table.map(({ card }) => ({ ...card, id: card.assetId })));
  return { ...encodeFileClosure(closure), ...encodeAssetTable(table), ...keywords };
}

/** Two lists, each without duplicates; the reserved folder keeps them apart. */
function closureOf(files: ValidManifest['files'], artifacts: readonly StoredArtifact[]): ClosureFile[] {
  const all: ClosureFile[] = [
    ...artifacts.map((artifact) => ({ ...artifact, platform: true })),
    ...files.map(({ path, size, sha256 }) => ({ path, size, sha256, platform: false })),
  ];
  return all.sort((a, b) => compareUtf8(a.path, b.path));
}

function tabledAsset(
  asset: ManifestAsset,
  library: ManifestLibrary | undefined,
  places: ReadonlyMap<string, number>,
): TabledAsset {
  const { files, thumbnail } = asset;
  return {
    card: cardOf(asset, library),
    remainder: remainderOf(asset),
    files: Uint32Array.from(files, ({ path }) => placeOf(path, places)),
    thumbnail: thumbnail === undefined ? null : (places.get(thumbnail) ?? null),
  };
}

/** Only a manifest that was judged comes here: its paths are in the closure. */
function placeOf(path: string, places: ReadonlyMap<string, number>): number {
  const place = places.get(path);
  if (place === undefined) throw new Error('An asset names a file outside the closure.');
  return place;
}

function cardOf(asset: ManifestAsset, library: Manifest['library']): AssetCard {
  return {
    assetId: asset.id,
    title: asset.title ?? null,
    description: asset.description ?? null,
    category: asset.category ?? null,
    tags: asset.tags ?? [],
    kind: asset.kind ?? DEFAULT_KIND,
    format: asset.format ?? null,
    license: effectiveLicense(asset, library),
    entry: asset.entry ?? null,
    files: { count: asset.files.length, bytes: asset.files.reduce((sum, file) => sum + file.size, 0) },
    digest: formatDigest(hash('sha256', digestText(asset.files))),
  };
}

function remainderOf(asset: ManifestAsset): AssetRemainder {
  const entryPoints = Object.entries(asset.entryPoints ?? {}).map(([name, { kind, file }]) => [
    name,
    { kind: kind ?? DEFAULT_ENTRY_POINT_KIND, file },
  ]);
  return {
    license: asset.license ?? null,
    attribution: asset.attribution ?? null,
    upstream: asset.upstream ?? null,
    entryPoints: Object.fromEntries(entryPoints),
    meta: asset.meta ?? {},
  };
}
