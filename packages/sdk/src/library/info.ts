import type { LibraryDetail, Manifest, ManifestAsset } from '@bindery/contract';
import { DEFAULT_KIND, effectiveLicense } from '@bindery/contract/wire';
import { AssetNotFoundError } from '../failures.ts';
import { formatLibraryAddress, type LibraryAddress } from './library-address.ts';
import { digestOf, filesOf, findAsset } from './manifest.ts';
import type { LibraryHead } from './read-library.ts';

/** What a library holds at one revision. */
export type LibraryInfo = ReturnType<typeof libraryInfo>;

/** One asset of a library at one revision, with its files. */
export type AssetInfo = ReturnType<typeof assetInfo>;

export function libraryInfo({ release }: LibraryAddress, head: LibraryHead, manifest: Manifest) {
  const { row } = head;
  const files = [...filesOf(manifest.assets).values()];
  return {
    namespace: row.namespace,
    name: row.name,
    ...(release === undefined ? {} : { release }),
    title: row.title,
    description: row.description,
    provider: row.provider,
    homepage: row.homepage,
    license: row.license,
    tags: row.tags,
    visibility: row.visibility,
    revision: row.revision,
    assetCount: manifest.assets.length,
    fileCount: files.length,
    totalBytes: sizeOf(files),
    /** As searches and pulls show it. */
    digest: digestOf(files),
    kinds: tally(manifest.assets, ({ kind }) => kind ?? DEFAULT_KIND),
    categories: tally(manifest.assets, ({ category }) => category),
    licenses: tally(manifest.assets, (asset) => effectiveLicense(asset, manifest.library)),
    semantic: row.semantic,
    /** Whether searches are semantic: `on`, or why not. */
    semanticReason: head.semanticReason ?? reasonFrom(row),
    vectorsDim: row.vectorsDim,
    thumbnails: countThumbnails(manifest),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/** Throws `AssetNotFoundError`. */
export function assetInfo(address: LibraryAddress, { row }: LibraryHead, manifest: Manifest, id: string) {
  const library = formatLibraryAddress(address);
  const found = findAsset(manifest, id);
  if (found === undefined) throw new AssetNotFoundError(library, [id]);
  return {
    library,
    revision: row.revision,
    id: found.id,
    title: found.title ?? null,
    description: found.description ?? null,
    category: found.category ?? null,
    tags: found.tags ?? [],
    kind: found.kind ?? DEFAULT_KIND,
    format: found.format ?? null,
    license: effectiveLicense(found, manifest.library),
    attribution: found.attribution ?? null,
    upstream: found.upstream ?? null,
    entry: found.entry ?? null,
    entryPoints: found.entryPoints ?? {},
    thumbnail: found.thumbnail ?? null,
    meta: found.meta ?? {},
    digest: digestOf(found.files),
    fileCount: found.files.length,
    totalBytes: sizeOf(found.files),
    files: found.files,
  };
}

/** For services that do not say why. */
function reasonFrom({ semantic, vectorsDim }: LibraryDetail): string {
  if (semantic === true) return 'on';
  return vectorsDim === null ? 'no-sidecar' : 'unknown';
}

/** `drawn` counts platform artifacts: a push with a renderer draws models, and reduces authors' large pictures. */
function countThumbnails({ assets, generated = [] }: Manifest) {
  const artifacts = new Set(generated);
  const shown = assets.flatMap(({ thumbnail }) => thumbnail ?? []);
  const drawn = shown.filter((path) => artifacts.has(path)).length;
  return { authored: shown.length - drawn, drawn, missing: assets.length - shown.length };
}

function tally(
  assets: readonly ManifestAsset[],
  of: (asset: ManifestAsset) => string | null | undefined,
): Record<string, number> {
  const counts = new Map<string, number>();
  for (const asset of assets) {
    const value = of(asset);
    if (value !== null && value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort(([a, many], [b, few]) => few - many || (a < b ? -1 : 1)));
}

function sizeOf(files: readonly { size: number }[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}
