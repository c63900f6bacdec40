import { LIMITS, type SearchHit } from '@bindery/contract';
import { presignUrl } from '../libraries/read/files.ts';
import type { ObjectStore } from '../objects/store.ts';
import type { RevisionIndex } from '../revision/revision-index.ts';
import type { ThumbnailUrls } from '../thumbnails/thumbnail-urls.ts';

/**
 * Returns one hit of the response, given the number of the asset in its revision; with `small`, adds small versions of
 * its thumbnail.
 */
export function describeHit(
  objects: ObjectStore,
  storeId: string,
  index: RevisionIndex,
  asset: number,
  score: number,
  small: ThumbnailUrls | null = null,
): SearchHit {
  const thumbnail = index.thumbnail(asset);
  const thumbnailUrl = thumbnail && presignUrl(objects, storeId, thumbnail, LIMITS.thumbnailTtl);
  const hit = Object.assign(index.card(asset), { thumbnailUrl, score });
  if (small === null) return hit;
  const thumbnailSrcset = thumbnail && small.srcset({ storeId, sha256: thumbnail.sha256 });
  return Object.assign(hit, { thumbnailSrcset });
}
