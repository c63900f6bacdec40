import { z } from 'zod';
import { endpoints } from '../endpoints.ts';
import { crossLibraryHit, searchHit } from '../library.ts';
import { LIMITS } from '../limits.ts';
import { integerParameter, libraryParams, noBody, none } from '../parameters.ts';
import { defineRoute } from '../route.ts';

/** Characters are code points, as in the manifest. */
const queryText = z.string().refine((text) => [...text].length <= LIMITS.search.queryLength, {
  error: `at most ${LIMITS.search.queryLength} characters`,
});

const searchQuery = z.strictObject({
  q: queryText.default(''),
  category: z.string().max(200).optional(),
  kind: z.string().max(200).optional(),
  license: z.string().max(200).optional(),
  tag: z.string().max(200).optional(),
  limit: integerParameter({ min: 1, max: LIMITS.search.max, default: LIMITS.search.default }),
  offset: integerParameter({ min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 }),
  explain: z.enum(['true', 'false']).default('false'),
  rank: z.enum(['specified', 'relevance']).default('specified'),
});
export type SearchFilters = Pick<z.infer<typeof searchQuery>, 'category' | 'kind' | 'license' | 'tag'>;

/** How many of a search's hits have a value; a value that is filtered by is there even where none has it. */
const facetCount = z.object({ value: z.string(), count: z.int() });

/**
 * Counts beside a search, by filter. Those of one filter leave that filter itself out, so that they say how many hits
 * each of its other values would bring. The most frequent values come first, at most `LIMITS.facetValues` of them.
 */
const facetCounts = z.object({
  kind: z.array(facetCount),
  category: z.array(facetCount),
  license: z.array(facetCount),
  tag: z.array(facetCount),
});
export type FacetCounts = z.infer<typeof facetCounts>;

const facetQuery = searchQuery.pick({ q: true, category: true, kind: true, license: true, tag: true });

/** `share` opens the library of a single-library search; across libraries it is let pass and opens nothing. */
const share = z.string().max(200).optional();

/** `didYouMean`: the query with its mistyped words replaced, where a search by relevance did so. */
const envelope = { semantic: z.boolean(), total: z.int(), didYouMean: z.string().optional() };

export const searchLibrary = defineRoute({
  ...endpoints.search.searchLibrary,
  summary: 'Searches one library',
  params: libraryParams,
  query: searchQuery.extend({ share }),
  body: noBody,
  response: z.object({ ...envelope, hits: z.array(searchHit) }),
  errors: ['not_found'],
});

export const searchLibraries = defineRoute({
  ...endpoints.search.searchLibraries,
  summary: 'Searches up to 50 libraries at once',
  params: none,
  query: searchQuery.extend({ libraries: z.string(), share }),
  body: noBody,
  response: z.object({
    ...envelope,
    skipped: z.array(z.object({ library: z.string(), reason: z.enum(['not_found', 'unavailable']) })),
    hits: z.array(crossLibraryHit),
  }),
  errors: [],
});

/** One value, or the parameter several times: what has one of them passes. Letter case makes no difference. */
const anyOf = z
  .union([z.string().max(200), z.array(z.string().max(200)).max(LIMITS.search.filterValues)])
  .transform((values) => [values].flat())
  .optional();

const everythingQuery = z.strictObject({
  ...searchQuery.pick({ q: true, limit: true, offset: true, explain: true }).shape,
  library: anyOf,
  category: anyOf,
  kind: anyOf,
  license: anyOf,
  tag: anyOf,
});
export type EverythingFilters = Pick<
  z.infer<typeof everythingQuery>,
  'category' | 'kind' | 'license' | 'tag'
>;

export const searchEverything = defineRoute({
  method: 'GET',
  path: '/search',
  summary: 'Searches every library that the caller may read, by relevance',
  authentication: 'optional',
  params: none,
  query: everythingQuery,
  body: noBody,
  success: 200,
  response: z.object({
    ...envelope,
    /** Libraries that could not be read just now. */
    skipped: z.array(z.object({ library: z.string(), reason: z.literal('unavailable') })),
    hits: z.array(crossLibraryHit),
  }),
  errors: [],
});

export const countLibraryFacets = defineRoute({
  ...endpoints.search.countLibraryFacets,
  summary: 'How many hits of a search have which kind, category, license and tag',
  params: libraryParams,
  query: facetQuery.extend({ share }),
  body: noBody,
  response: z.object({ facets: facetCounts }),
  errors: ['not_found'],
});

export const countLibrariesFacets = defineRoute({
  ...endpoints.search.countLibrariesFacets,
  summary: 'The same over up to 50 libraries at once',
  params: none,
  query: facetQuery.extend({ libraries: z.string(), share }),
  body: noBody,
  response: z.object({ facets: facetCounts }),
  errors: [],
});
