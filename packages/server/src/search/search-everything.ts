import type { CrossLibraryHit, EverythingFilters, SemanticReason } from '@bindery/contract';
import type { Viewer } from '../access/viewer.ts';
import { searchByRelevance } from './relevance/search-by-relevance.ts';
import type { SearchParts } from './request.ts';
import { findReadable, type Target } from './targets.ts';

export interface EverythingRequest extends EverythingFilters {
  q: string;
  limit: number;
  offset: number;
  explain: boolean;
  /** Libraries as `namespace/name`; undefined for all. */
  library?: readonly string[] | undefined;
}

export interface EverythingFound {
  reason: SemanticReason;
  total: number;
  didYouMean?: string;
  skipped: { library: string; reason: 'unavailable' }[];
  hits: CrossLibraryHit[];
}

/** Searches all that the viewer may read. A library that is named and cannot be seen leaves nothing to find there. */
export async function searchEverything(
  parts: SearchParts,
  viewer: Viewer,
  { q, limit, offset, explain, library, ...filters }: EverythingRequest,
): Promise<EverythingFound> {
  const since = performance.now();
  const readable = await findReadable(parts, viewer);
  const {
    hits,
    searched: _,
    unreadable,
    ...found
  } = await searchByRelevance(parts, library === undefined ? readable : among(readable, library), {
    q,
    limit,
    offset,
    explain,
    select: (keywords) => keywords.selectAny(filters),
  });
  parts.metrics.searched({ semantic: found.reason, seconds: (performance.now() - since) / 1_000 });
  return {
    ...found,
    skipped: unreadable.map(({ target }) => ({ library: slashed(target), reason: 'unavailable' })),
    hits: hits.map(({ target: { namespace, library: name }, hit }) => ({ namespace, library: name, ...hit })),
  };
}

function among(readable: readonly Target[], libraries: readonly string[]): Target[] {
  const wanted = new Set(libraries.map((library) => library.toLowerCase()));
  return readable.filter((target) => wanted.has(slashed(target)));
}

function slashed({ namespace, library }: Target): string {
  return `${namespace}/${library}`;
}
