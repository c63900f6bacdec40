import { join } from 'node:path';
import type { AssetStatistics, Manifest, ManifestAsset } from '@bindery/contract';
import { CURATION_FILE, DEFAULT_KIND } from '@bindery/contract/wire';
import { extensionOf } from '@bindery/formats';
import type { Omissions } from '@bindery/formats/reading/omissions';
import type { DiscoveredLibrary } from '../discovery/discovered-library.ts';
import { sizesAndHashes } from '../library/manifest.ts';
import type { ProgressListener } from '../tree/progress.ts';
import type { UploadSource } from '../tree/upload-source.ts';
import { withStatistics } from './statistics.ts';

/** The outcome for the thumbnails of all assets. In a plan, `rendered` and `resized` are what would be attempted. */
export interface ThumbnailReport {
  /** Assets with a thumbnail of their own, which is used unchanged. */
  authored: number;
  /** Assets whose author's picture was too large and was scaled down, in this run or an earlier one. */
  resized: number;
  /** Assets that were drawn from the model. */
  rendered: number;
  /** Assets that were drawn from the same files in an earlier run. */
  cached: number;
  /** Assets without a thumbnail, and why. */
  warnings: { asset: string; warning: string }[];
  /** Assets whose thumbnail does not show everything it should. */
  incomplete: { asset: string; omissions: Omissions }[];
  /** Assets with a picture that were not measured, and why; another push may measure them. */
  unmeasured: { asset: string; warning: string }[];
}

export interface DrawnThumbnails {
  /** By asset id. */
  sources: ReadonlyMap<string, UploadSource>;
  /** Of the assets that state none themselves, by id. */
  statistics: ReadonlyMap<string, AssetStatistics>;
  /** In a plan, how many assets have yet to be measured without being drawn; otherwise 0. */
  unmeasured: number;
  /** In a plan, how many thumbnails have yet to be made; otherwise 0. */
  pending: number;
  /** Null if the assets were only measured. */
  report: ThumbnailReport | null;
}

/** Returns the manifest with these thumbnails declared and assigned to their assets, and with what was measured. */
export function withThumbnails(manifest: Manifest, drawn: DrawnThumbnails | null): Manifest {
  if (drawn === null) return manifest;
  const { sources, statistics } = drawn;
  const assets = manifest.assets.map((asset) => {
    const source = sources.get(asset.id);
    const pictured = source === undefined ? asset : { ...asset, thumbnail: source.path };
    return withStatistics(pictured, statistics.get(asset.id));
  });
  if (sources.size === 0) return { ...manifest, assets };
  const paths = [...sources.values()].map(({ path }) => path);
  return { ...manifest, assets, generated: [...new Set([...(manifest.generated ?? []), ...paths])] };
}

export interface ThumbnailOptions {
  cacheFolder: string;
  /** Authors' pictures of assets without a thumbnail. They are scaled down, and the assets are not drawn. */
  pictures?: AuthorsPictures | undefined;
  /** Report what would be drawn without drawing it. */
  dryRun?: boolean | undefined;
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

/** Draws thumbnails. The SDK does not include a renderer. */
export interface ThumbnailRenderer {
  /** Identifies how it draws: the same files and the same version give the same picture. */
  readonly version: string;
  /** How many thumbnails it draws at once. */
  readonly concurrency: number;
  /** Never rejects. A `transient` warning is about this machine, or a file that changed; any other about the asset. */
  render(request: RenderRequest): Promise<RenderedThumbnail>;
  /** Reads an asset without drawing it. Never rejects. */
  measure(request: RenderRequest): Promise<Measurement>;
  /** Stops the renderer. Drawings in progress resolve with a warning. */
  close(): Promise<void>;
}

/** The asset to draw: its kind, format, entry and files. */
export interface RenderRequest {
  kind: string;
  format?: string | undefined;
  /** The file that a viewer opens. */
  entry: string;
  files: {
    /** Size in bytes by path. */
    sizes: ReadonlyMap<string, number>;
    /** Where a file is on this machine, and the SHA-256 of what was listed, if it may have changed since. */
    locate(path: string): { place: string; sha256?: string | undefined };
  };
}

/** The request for an asset whose files are in a folder. */
export function renderRequest(
  { kind = DEFAULT_KIND, format, entry = '', files }: ManifestAsset,
  root: string,
): RenderRequest {
  const { sizes, hashes } = sizesAndHashes(files);
  const locate = (path: string) => ({ place: join(root, path), sha256: hashes.get(path) ?? '' });
  return { kind, format, entry, files: { sizes, locate } };
}

export type RenderedThumbnail =
  | { webp: Uint8Array; omissions?: Omissions; statistics?: AssetStatistics }
  | { warning: string; transient?: boolean };

export type Measurement = { statistics?: AssetStatistics } | { warning: string; transient?: boolean };

/** Pictures of at most this many bytes are used as thumbnails unchanged. */
const MAX_BYTES = 64 * 1024;

/** Paths of pictures to make thumbnails from, by asset id. */
export type AuthorsPictures = ReadonlyMap<string, string>;

/**
 * Returns the pictures among the assets' files that are too large to be thumbnails. A picture named in `bindery.yml` is
 * not one of them: its author chose it, so it is used unchanged.
 */
export function largePictures({
  assets,
  origins,
}: Pick<DiscoveredLibrary, 'assets' | 'origins'>): AuthorsPictures {
  const pictures = new Map<string, string>();
  for (const { id, thumbnail, files } of assets) {
    const isNamed = origins.get(id)?.thumbnail?.startsWith(CURATION_FILE) === true;
    const picture = files.find(({ path }) => path === thumbnail);
    if (picture !== undefined && !isNamed && picture.size > MAX_BYTES) pictures.set(id, picture.path);
  }
  return pictures;
}

/** Returns the manifest without the thumbnails of the assets that have such a picture. */
export function withoutPictures(manifest: Manifest, pictures: AuthorsPictures): Manifest {
  const assets = manifest.assets.map((asset) => {
    if (!pictures.has(asset.id)) return asset;
    const { thumbnail: _, ...bare } = asset;
    return bare;
  });
  return { ...manifest, assets };
}

/** Returns an asset that consists of the picture alone, to be drawn as a thumbnail. */
export function pictureAsset(asset: ManifestAsset, picture: string): ManifestAsset {
  return {
    id: asset.id,
    kind: 'image',
    format: extensionOf(picture),
    entry: picture,
    files: asset.files.filter(({ path }) => path === picture),
  };
}
