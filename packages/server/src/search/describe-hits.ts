import { deriveWords, LIMITS, readStatistics, type SearchHit } from '@bindery/contract';
import type { SearchContext } from '../context.ts';
import { presignUrl } from '../libraries/read/files.ts';
import { unlessLost } from '../objects/damaged.ts';
import type { ObjectStore } from '../objects/store.ts';
import { nextTurn, turnIsOver } from '../process/turns.ts';
import type { RevisionIndex } from '../revision/revision-index.ts';
import type { SharedPhrases } from '../revision/words/shared-phrases.ts';
import type { ThumbnailUrls } from '../thumbnails/thumbnail-urls.ts';
import type { FusedHit } from './fusion.ts';
import type { DescribedAsset } from './segments/segment-index.ts';
import type { Target } from './targets.ts';

export interface DescribedHit {
  target: Target;
  hit: SearchHit;
}

/** What is known of an asset besides what a hit shows. */
interface Described {
  entryPoints: DescribedAsset['entryPoints'];
  derived: DescribedAsset['derived'];
  /** Those of its library. */
  sharedPhrases(): SharedPhrases;
}

/**
 * Describes the hits in order, and has `complete` add to each; null if the index of a ranked revision is gone.
 * @param assetsOf opens the assets of a target that are not read from its index; null for others
 */
export async function describeHits(
  context: SearchContext,
  searched: readonly Target[],
  ranked: readonly FusedHit[],
  complete: ((hit: SearchHit, ranked: FusedHit, described: Described) => void) | null,
  withSrcset: boolean,
  assetsOf: (target: number) => OpenedAssets | null = () => null,
): Promise<DescribedHit[] | null> {
  const hits: DescribedHit[] = [];
  const small = withSrcset ? context.thumbnailUrls : null;
  const byTarget = Map.groupBy(ranked.entries(), ([, { target }]) => target);
  for (const [at, own] of byTarget) {
    const target = searched[at] as Target;
    const { store_id: storeId } = target.row;
    const assets = assetsOf(at) ?? (await openAssets(context, target));
    if (!assets) return null;
    for (const [place, ranked] of own) {
      const described = await assets.read(ranked.document);
      if (!described) return null;
      const hit = hitOf(context.objects, storeId, described, ranked.score, small);
      if (ranked.isRelated) hit.isRelated = true;
      complete?.(hit, ranked, { ...described, sharedPhrases: assets.sharedPhrases });
      hits[place] = { target, hit };
      if (turnIsOver()) await nextTurn();
    }
  }
  return hits;
}

export interface OpenedAssets {
  /** Returns null if they are gone. */
  read(asset: number): Promise<DescribedAsset | null>;
  sharedPhrases(): SharedPhrases;
}

/**
 * Opens what describes the assets of a library: its index if that is in memory, else the segment that it is in, and
 * where that is damaged or gone the index again. Null if that is gone, too.
 */
export async function openAssets(
  { segments, revisions }: SearchContext,
  { row: { store_id: storeId, index_sha256: sha256 } }: Target,
): Promise<OpenedAssets | null> {
  const found = segments.find({ storeId, indexSha256: sha256 });
  const load = () => unlessLost(revisions.load({ storeId, sha256 }));
  if (found && !revisions.held({ storeId, sha256 })) {
    const { segment, member } = found;
    return {
      async read(asset) {
        const described = await segment.describe(member.first + asset).catch(() => null);
        if (described) return described;
        const index = await load();
        return index && describeAsset(index, asset);
      },
      sharedPhrases: () => new Set(member.sharedPhrases),
    };
  }
  const index = await load();
  return (
    index && {
      read: async (asset) => describeAsset(index, asset),
      sharedPhrases: () => index.words?.sharedPhrases ?? new Set(),
    }
  );
}

/** Returns what is shown of an asset, given its number in its revision. */
export function describeAsset(index: RevisionIndex, asset: number): DescribedAsset {
  const { entryPoints, meta } = index.remainder(asset);
  const derived = deriveWords(readStatistics(meta));
  return { card: index.card(asset), thumbnail: index.thumbnail(asset), entryPoints, derived };
}

/** @param small adds small versions of the thumbnail */
function hitOf(
  objects: ObjectStore,
  storeId: string,
  { card, thumbnail }: DescribedAsset,
  score: number,
  small: ThumbnailUrls | null,
): SearchHit {
  const thumbnailUrl = thumbnail && presignUrl(objects, storeId, thumbnail, LIMITS.thumbnailTtl);
  const hit = Object.assign(card, { thumbnailUrl, score });
  if (small === null) return hit;
  const thumbnailSrcset = thumbnail && small.srcset({ storeId, sha256: thumbnail.sha256 });
  return Object.assign(hit, { thumbnailSrcset });
}
