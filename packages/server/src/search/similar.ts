import type { BodyOf, QueryOf, routes, SimilarAssets } from '@bindery/contract';
import type { Viewer } from '../access/viewer.ts';
import type { Context } from '../context.ts';
import type { OpenedAsset } from '../libraries/read/assets.ts';

type Search = typeof routes.search;
type SimilarRequest = QueryOf<Search['findSimilarTo']>;

const NOTHING: SimilarAssets = { comparedBy: [], total: 0, skipped: [], hits: [] };

/** Finds what is similar to an asset in everything that the viewer may read. */
export async function findSimilar(
  _context: Context,
  _viewer: Viewer,
  _asset: OpenedAsset,
  _request: SimilarRequest,
): Promise<SimilarAssets> {
  return NOTHING;
}

/** Finds what is similar to a model or a picture that a client has described. */
export async function findSimilarTo(
  _context: Context,
  _viewer: Viewer,
  _described: BodyOf<Search['findSimilarTo']>,
  _request: SimilarRequest,
): Promise<SimilarAssets> {
  return NOTHING;
}
