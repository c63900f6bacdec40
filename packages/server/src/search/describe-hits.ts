import { LIMITS, type SearchHit } from '@bindery/contract';
import type { Context } from '../context.ts';
import { presignUrl } from '../libraries/read/files.ts';
import { unlessLost } from '../objects/damaged.ts';
import type { ObjectStore } from '../objects/store.ts';
import { nextTurn, turnIsOver } from '../process/turns.ts';
import type { RevisionIndex } from '../revision/revision-index.ts';
import type { ThumbnailUrls } from '../thumbnails/thumbnail-urls.ts';
import type { FusedHit } from './fusion.ts';
import type { Target } from './targets.ts';

export interface DescribedHit {
  target: Target;
  hit: SearchHit;
}

/** Describes the hits in order, and has `complete` add to each; null if the index of a ranked revision is gone. */
export async function describeHits(
  context: Context,
  searched: readonly Target[],
  ranked: readonly FusedHit[],
  complete: ((hit: SearchHit, ranked: FusedHit, index: RevisionIndex) => void) | null,
  withSrcset: boolean,
): Promise<DescribedHit[] | null> {
  const hits: DescribedHit[] = [];
  const small = withSrcset ? context.thumbnailUrls : null;
  const byTarget = Map.groupBy(ranked.entries(), ([, { target }]) => target);
  for (const [at, own] of byTarget) {
    const target = searched[at] as Target;
    const { store_id: storeId, index_sha256: sha256 } = target.row;
    const index = await unlessLost(context.revisions.load({ storeId, sha256 }));
    if (!index) return null;
    for (const [place, ranked] of own) {
      const hit = describeHit(context.objects, storeId, index, ranked.document, ranked.score, small);
      if (ranked.isRelated) hit.isRelated = true;
      complete?.(hit, ranked, index);
      hits[place] = { target, hit };
      if (turnIsOver()) await nextTurn();
    }
  }
  return hits;
}

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
