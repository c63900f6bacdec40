import type { Manifest } from '@bindery/contract';
import type { UploadSource } from '../tree/upload-source.ts';
import type { ThumbnailOmissions } from './thumbnail-renderer.ts';

/** What became of the thumbnails of all assets. Of a plan, `rendered` and `resized` are what would be tried. */
export interface ThumbnailReport {
  /** Assets that bring a thumbnail of their own, which stays as it is. */
  authored: number;
  /** Assets whose author's picture was too large and was made smaller, now or at an earlier time. */
  resized: number;
  /** Drawn from the model. */
  rendered: number;
  /** Drawn at an earlier time from the same files. */
  cached: number;
  /** Assets that get none, and why. */
  warnings: { asset: string; warning: string }[];
  /** Assets whose thumbnail does not show all that it should. */
  incomplete: { asset: string; omissions: ThumbnailOmissions }[];
}

export interface DrawnThumbnails {
  /** By asset id. */
  sources: ReadonlyMap<string, UploadSource>;
  /** Of a plan: how many thumbnails are still to be made. */
  pending: number;
  report: ThumbnailReport;
}

/** The manifest with these thumbnails declared and shown. */
export function withThumbnails(manifest: Manifest, drawn: ReadonlyMap<string, UploadSource>): Manifest {
  if (drawn.size === 0) return manifest;
  const assets = manifest.assets.map((asset) => {
    const source = drawn.get(asset.id);
    return source === undefined ? asset : { ...asset, thumbnail: source.path };
  });
  const paths = [...drawn.values()].map(({ path }) => path);
  return { ...manifest, assets, generated: [...new Set([...(manifest.generated ?? []), ...paths])] };
}
