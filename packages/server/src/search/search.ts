import type { Completions, CrossLibraryHit, FacetCounts, SearchFilters, SearchHit } from '@bindery/contract';
import type { ReadableLibrary } from '../access/libraries.ts';
import type { Viewer } from '../access/viewer.ts';
import type { SearchContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { queryTokens } from '../revision/keywords/keyword-index.ts';
import { findByVector, type VectorTarget, vectorTarget } from './by-vector.ts';
import { describeHits } from './describe-hits.ts';
import { type CountRequest, countFacets } from './facets.ts';
import type { FusedHit } from './fusion.ts';
import { explainHit } from './keyword.ts';
import { Ranking } from './ranking.ts';
import { type CompletionRequest, completeInTargets } from './relevance/completions.ts';
import { searchByRelevance } from './relevance/search-by-relevance.ts';
import type { SearchOutcome, SearchPage, SearchRequest, SearchSummary } from './request.ts';
import {
  findReadable,
  findTargets,
  openTargets,
  parseTargets,
  qualifiedName,
  type Target,
  type UnreadableTarget,
} from './targets.ts';

/** Searches one library, to which a share token can grant access. */
export async function searchLibrary(
  context: SearchContext,
  library: ReadableLibrary,
  request: SearchRequest,
): Promise<SearchSummary & { hits: SearchHit[] }> {
  const { searched, unreadable, hits, ...found } = await runSearch(context, [targetOf(library)], request);
  if (searched.length === 0) throw unreadable[0]?.error ?? notFound();
  return { ...found, hits: hits.map(({ hit }) => hit) };
}

/** Searches several libraries as one; share tokens grant no access here. */
export async function searchLibraries(
  context: SearchContext,
  viewer: Viewer,
  libraries: string,
  request: SearchRequest,
): Promise<
  SearchSummary & {
    /** Libraries that are missing, hidden or cannot be read, in the order requested. */
    skipped: { library: string; reason: 'not_found' | 'unavailable' }[];
    hits: CrossLibraryHit[];
  }
> {
  const asked = parseTargets(libraries);
  const targets = await findTargets(context, viewer, asked);
  const { hits, searched, unreadable, ...found } = await runSearch(context, targets, request);
  const done = new Set(searched.map(qualifiedName));
  const lost = new Set(unreadable.map(({ target }) => qualifiedName(target)));
  return {
    ...found,
    skipped: asked
      .map(qualifiedName)
      .filter((library) => !done.has(library))
      .map((library) => ({ library, reason: lost.has(library) ? 'unavailable' : 'not_found' })),
    hits: hits.map(acrossLibraries),
  };
}

/** Searches every library that the viewer is allowed to read. */
export async function searchEverything(
  context: SearchContext,
  viewer: Viewer,
  request: SearchRequest,
): Promise<
  SearchSummary & { skipped: { library: string; reason: 'unavailable' }[]; hits: CrossLibraryHit[] }
> {
  const targets = await findReadable(context, viewer);
  const { hits, searched: _, unreadable, ...found } = await runSearch(context, targets, request);
  return {
    ...found,
    skipped: unreadable.map(({ target }) => ({ library: qualifiedName(target), reason: 'unavailable' })),
    hits: hits.map(acrossLibraries),
  };
}

/** Counts the hits of a search in one library by facet value. */
export async function countLibraryFacets(
  context: SearchContext,
  library: ReadableLibrary,
  request: CountRequest,
): Promise<FacetCounts> {
  const { counts, opened, unreadable } = await countFacets(context, [targetOf(library)], request);
  if (opened.length === 0) throw unreadable[0]?.error ?? notFound();
  return counts;
}

/** Counts the hits of a search over several libraries by facet value, leaving out libraries that cannot be read. */
export async function countLibrariesFacets(
  context: SearchContext,
  viewer: Viewer,
  libraries: string,
  request: CountRequest,
): Promise<FacetCounts> {
  const targets = await findTargets(context, viewer, parseTargets(libraries));
  return (await countFacets(context, targets, request)).counts;
}

/** Suggests names and tags that complete the typed text, only from libraries that the viewer is allowed to read. */
export async function complete(
  context: SearchContext,
  viewer: Viewer,
  request: CompletionRequest,
): Promise<Completions> {
  return completeInTargets(context, await findReadable(context, viewer), request);
}

function targetOf({ namespace, row }: ReadableLibrary): Target {
  return { namespace, library: row.name, row };
}

function acrossLibraries({ target, hit }: SearchOutcome['hits'][number]): CrossLibraryHit {
  return { namespace: target.namespace, library: target.library, ...hit };
}

/** Searches the targets. Hits of equal score are ranked in the order of `targets`. */
export async function runSearch(
  context: SearchContext,
  targets: readonly Target[],
  request: SearchRequest,
): Promise<SearchOutcome> {
  const since = performance.now();
  const { order } = request;
  const outcome = await (order.rank === 'specified'
    ? searchAsSpecified(context, targets, request, order.filters)
    : searchByRelevance(context, targets, request, order));
  context.metrics.searched({ semantic: outcome.reason, seconds: (performance.now() - since) / 1_000 });
  return outcome;
}

/** Searches in the order of the specification, "Search and ranking rules". */
async function searchAsSpecified(
  context: SearchContext,
  targets: readonly Target[],
  request: SearchPage,
  filters: SearchFilters,
): Promise<SearchOutcome> {
  const { q, limit, offset, explain, srcset = false } = request;
  const ranking = new Ranking(q);
  const byVector: VectorTarget[] = [];
  const searched: Target[] = [];
  const unreadable: UnreadableTarget[] = [];
  for await (const [target, opened] of openTargets(context, targets, unreadable)) {
    const filter = opened.index.keywords.select(filters);
    await ranking.add(opened.index.keywords, filter);
    byVector.push(vectorTarget(opened, filter));
    searched.push({ ...target, row: opened.row });
  }
  const { reason, candidates } = await findByVector(context, q, byVector);
  const range = { offset, limit };
  const { total, hits: ranked } = await (candidates
    ? ranking.fusedPage(candidates, range)
    : ranking.page(range));
  const tokens = queryTokens(q);
  const addExplanation = (hit: SearchHit, score: FusedHit) => {
    hit.explain = explainHit(tokens, hit, score);
  };
  const hits = await describeHits(context, searched, ranked, explain ? addExplanation : null, srcset);
  // If an index was lost between ranking and description, the next run finds the library deleted or its index rebuilt.
  if (!hits) return searchAsSpecified(context, targets, request, filters);
  return { semantic: reason === 'on', reason, total, hits, searched, unreadable };
}
