import { type CrossLibraryHit, rawPath, type UnderstoodPart } from '@bindery/contract';
import type { Viewer } from '../../access/viewer.ts';
import type { SearchContext } from '../../context.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { searchEverything } from '../../search/search.ts';
import {
  conditionsOf,
  filtersOf,
  MAX_HITS,
  type UsdFile,
  type UsdSearchRequest,
  wordsOf,
} from './request.ts';

/** How many hits clients want that do not say. */
const DEFAULT_HITS = 32;

/** What a search by NVIDIA's clients found. */
interface UsdSearchResult {
  total: number;
  hits: UsdSearchHit[];
  search_metadata: { understood: readonly UnderstoodPart[]; candidates: number };
}

/**
 * Finds assets as files in USD: their entry, or for an asset of another format the address at which it is converted.
 * Conditions that no index narrows are looked for among the first `MAX_HITS` assets.
 */
export async function searchUsd(
  context: SearchContext & { publicUrl(): string },
  viewer: Viewer,
  request: UsdSearchRequest,
  hasLeft: () => boolean,
): Promise<UsdSearchResult> {
  const q = wordsOf(request);
  const passes = conditionsOf(request);
  const limit = Math.min(request.limit ?? DEFAULT_HITS, MAX_HITS);
  const found = await searchEverything(context, viewer, {
    ...{ q, limit: passes === null ? limit : MAX_HITS, offset: 0, explain: false, hasLeft },
    order: {
      rank: 'relevance',
      filters: filtersOf(request),
      asWords: [],
      sort: 'relevance',
      facets: false,
      match: undefined,
    },
  });
  const files: UsdFile[] = [];
  for (const hit of found.hits) {
    const path = usdPathOf(hit);
    if (path !== null && passes?.({ hit, path }) !== false) files.push({ hit, path });
    if (turnIsOver()) await nextTurn();
  }
  const withMetadata = request.return_metadata === true;
  const kind = q === '' ? 'filter_only' : null;
  return {
    total: passes === null ? found.total : files.length,
    hits: files
      .slice(0, limit)
      .map((file, at) => describe(context.publicUrl(), file, { at, kind, withMetadata })),
    search_metadata: { understood: found.understood ?? [], candidates: found.hits.length },
  };
}

/** Returns where the asset is as USD, below `/raw/`; null if it names no file that opens it. */
function usdPathOf({ namespace, library, assetId, kind, entry }: CrossLibraryHit): string | null {
  if (entry === null) return null;
  return `${namespace}/${library}/${kind === 'usd' ? entry : `${assetId}.usdz`}`;
}

type UsdSearchHit = ReturnType<typeof describe>;

/** Clients read how relevant a hit is from these, which they expect to come of the ranks in two searches. */
const RANK_CONSTANT = 60;

function describe(
  publicUrl: string,
  { hit, path }: UsdFile,
  { at, kind, withMetadata }: { at: number; kind: 'filter_only' | null; withMetadata: boolean },
) {
  const { namespace, library, assetId, score, digest, files } = hit;
  const address = rawPath({ namespace, name: library }, path.split('/').slice(2).join('/'));
  const byRank = 1 / (RANK_CONSTANT + at + 1);
  return {
    id: `${namespace}/${library}/${assetId}`,
    score,
    rrf_score: hit.isRelated ? byRank : 2 * byRank,
    metadata: {
      explanations: [
        { search_type: kind ?? (hit.isRelated ? 'text_to_vector' : 'hybrid'), score, field: 'asset' },
      ],
      rrf_rank: at + 1,
    },
    source: {
      base_key: publicUrl + address,
      url: publicUrl + address,
      path: address.slice('/raw/'.length),
      name: path.slice(path.lastIndexOf('/') + 1),
      ext: path.slice(path.lastIndexOf('.') + 1),
      ...(withMetadata && {
        size: files.bytes,
        etag: digest,
        title: hit.title,
        description: hit.description,
        tags: hit.tags,
        asset_type: hit.category,
        kind: hit.kind,
        license: hit.license,
      }),
    },
  };
}
