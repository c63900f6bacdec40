import { LIMITS, type SearchHit } from '@bindery/contract';
import { presignUrl } from '../libraries/read/presign.ts';
import type { Parts } from '../parts.ts';
import type { RevisionIndex } from '../revision/revision-index.ts';

/** One hit of the response, from the number of the asset in its revision. */
export function describeHit(
  { objects }: Pick<Parts, 'objects'>,
  storeId: string,
  index: RevisionIndex,
  asset: number,
  score: number,
): SearchHit {
  const thumbnail = index.thumbnail(asset);
  const thumbnailUrl = thumbnail && presignUrl(objects, storeId, thumbnail, LIMITS.thumbnailTtl);
  return Object.assign(index.card(asset), { thumbnailUrl, score });
}
