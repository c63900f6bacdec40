import type { Manifest } from '@bindery/contract';
import type { UploadSource } from '../tree/upload-source.ts';
import type { ThumbnailOmissions } from './thumbnail-renderer.ts';

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
  incomplete: { asset: string; omissions: ThumbnailOmissions }[];
}

export interface DrawnThumbnails {
  /** By asset id. */
  sources: ReadonlyMap<string, UploadSource>;
  /** In a plan, how many thumbnails have yet to be made; otherwise 0. */
  pending: number;
  report: ThumbnailReport;
}

/** Returns the manifest with these thumbnails declared and assigned to their assets. */
export function withThumbnails(manifest: Manifest, drawn: ReadonlyMap<string, UploadSource>): Manifest {
  if (drawn.size === 0) return manifest;
  const assets = manifest.assets.map((asset) => {
    const source = drawn.get(asset.id);
    return source === undefined ? asset : { ...asset, thumbnail: source.path };
  });
  const paths = [...drawn.values()].map(({ path }) => path);
  return { ...manifest, assets, generated: [...new Set([...(manifest.generated ?? []), ...paths])] };
}
