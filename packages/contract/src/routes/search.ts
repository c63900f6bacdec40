import { z } from 'zod';
import { DESCRIPTOR_BYTES, DESCRIPTOR_VERSION, SIMILARITIES } from '../descriptors.ts';
import { endpoints } from '../endpoints.ts';
import { crossLibraryHit, searchHit } from '../library.ts';
import { LIMITS } from '../limits.ts';
import { releaseName } from '../name-schemas.ts';
import { integerParameter, libraryParams, srcset } from '../parameters.ts';
import { defineRoute } from '../route.ts';
import { FEATURES, MEASURES, readRange, SEARCH_FILTERS, type SearchFilter } from '../search-filters.ts';

/** Characters are code points, as in the manifest. */
const queryText = z.string().refine((text) => [...text].length <= LIMITS.search.queryLength, {
  error: `at most ${LIMITS.search.queryLength} characters`,
});

/** One value, or several by repeating the parameter: assets with any of them match. Letter case makes no difference. */
const anyOf = z
  .union([z.string().max(200), z.array(z.string().max(200)).max(LIMITS.search.filterValues)])
  .transform((values) => [values].flat())
  .optional();

const feature = z.enum(FEATURES);
/** One or several by repeating the parameter: assets with all of them match. */
const features = z
  .union([feature, z.array(feature).max(LIMITS.search.filterValues)])
  .transform((values) => [values].flat())
  .optional();

/** Both ends included: `2..5`, `2..`, `..5`, `2`. */
const range = z.string().refine((text) => readRange(text) !== null, {
  error: 'a number or a range, such as 2..5, 2.. or ..5',
});
/** One range, or several by repeating the parameter: assets in any of them match. */
const ranges = z
  .union([range, z.array(range).max(LIMITS.search.filterValues)])
  .transform((values) => [values].flat())
  .optional();

const filters = { category: anyOf, kind: anyOf, license: anyOf, tag: anyOf };
/** Only by relevance. */
const moreFilters = {
  format: anyOf,
  author: anyOf,
  has: features,
  bytes: ranges,
  height: ranges,
  extent: ranges,
  mass: ranges,
  joints: ranges,
  triangles: ranges,
};
/** Parts of `q` that are words to search for, where they would otherwise be read as a filter. */
const asWords = z
  .union([queryText, z.array(queryText).max(LIMITS.search.filterValues)])
  .transform((texts) => [texts].flat())
  .optional();
const flag = z.enum(['true', 'false']);

/** Orders of hits. `newest`: hits of the library that was published last come first. */
const sort = z.enum(['relevance', 'newest', 'title', 'size']);
export type SearchSort = z.infer<typeof sort>;

/** Only hits that have a word of the query, or only those that have none and are close in meaning. */
const match = z.enum(['words', 'meaning']).optional();
export type SearchMatch = z.infer<typeof match>;

const page = {
  q: queryText.default(''),
  limit: integerParameter({ min: 1, max: LIMITS.search.max, default: LIMITS.search.default }),
  offset: integerParameter({ min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 }),
  explain: flag.default('false'),
  srcset,
};

/** With `rank=specified`, filters have one value, compared as written, and those of the specification are all there are. */
const searchQuery = z.strictObject({
  ...page,
  ...filters,
  ...moreFilters,
  asWords,
  rank: z.enum(['specified', 'relevance']).default('specified'),
  match,
  sort: sort.optional(),
  facets: flag.optional(),
});
type SearchQuery = z.infer<typeof searchQuery>;

const NEED_RELEVANCE = [
  'match',
  'sort',
  'facets',
  'asWords',
  'format',
  'author',
  'has',
  ...MEASURES,
] as const;
const NEEDS_RELEVANCE = 'only with rank=relevance';
const needsRelevance = (query: SearchQuery, context: z.core.$RefinementCtx) => {
  if (query.rank === 'relevance') return;
  for (const name of NEED_RELEVANCE) {
    if (query[name] !== undefined)
      context.addIssue({ code: 'custom', path: [name], message: NEEDS_RELEVANCE });
  }
  for (const name of ['category', 'kind', 'license', 'tag'] as const) {
    if ((query[name]?.length ?? 0) > 1)
      context.addIssue({ code: 'custom', path: [name], message: `several values ${NEEDS_RELEVANCE}` });
  }
};

/** One value per filter, compared as it is written. */
const oneValue = z.string().max(200).optional();
const facetQuery = z.strictObject({
  q: page.q,
  category: oneValue,
  kind: oneValue,
  license: oneValue,
  tag: oneValue,
});
export type SearchFilters = Omit<z.infer<typeof facetQuery>, 'q'>;

/** How many hits of a search have a value. A value that is filtered by is listed even if no hit has it. */
const facetCount = z.object({ value: z.string(), count: z.int() });

/**
 * Facet counts of a search, by filter. The counts of a filter ignore that filter itself, so they show how many hits
 * each of its other values would give. The most frequent values come first, at most `LIMITS.facetValues` of them.
 */
const facetCounts = z.object({
  kind: z.array(facetCount),
  category: z.array(facetCount),
  license: z.array(facetCount),
  tag: z.array(facetCount),
});
export type FacetCounts = z.infer<typeof facetCounts>;

const counted = z.array(facetCount);
/**
 * The same for searches by relevance, where values that differ only in letter case are one. `licenseClass`
 * counts classes of licences, which the filter `license` takes as well. What assets measure is counted in a few ranges.
 */
const relevanceFacets = facetCounts.extend({
  format: counted,
  author: counted,
  has: counted,
  bytes: counted,
  height: counted,
  extent: counted,
  mass: counted,
  joints: counted,
  triangles: counted,
  library: counted,
  licenseClass: counted,
});
export type RelevanceFacets = z.infer<typeof relevanceFacets>;

const filterName = z.enum(SEARCH_FILTERS);

/** A part of the query that was read as a filter rather than as words. */
const understoodPart = z.object({
  /** As it is written in the query. */
  text: z.string(),
  filter: filterName,
  /** As the parameter of this name takes them. */
  values: z.array(z.string()),
});
export type UnderstoodPart = z.infer<typeof understoodPart>;

/** Filters that keep a search from finding anything. */
const emptyingFilters = z.object({
  filters: z.array(
    z.object({
      filter: filterName,
      /** What was asked for. */
      values: z.array(z.string()),
      /** What the hits without these filters have instead, the most frequent first, at most ten. */
      existing: z.array(facetCount),
      /** How many of these hits were never measured, if the filter is about a measure. */
      unmeasured: z.int(),
    }),
  ),
  /** How many hits there are without them. */
  hits: z.int(),
});
export type EmptyingFilters = z.infer<typeof emptyingFilters>;

/** `share` gives access to the library of a single-library search; it has no effect across libraries. */
const share = z.string().max(200).optional();

/**
 * Present if there was no room or time to search all libraries: how many were searched, by meaning too if they have
 * vectors, and of how many.
 */
const partial = z.object({ searched: z.int(), libraries: z.int() }).optional();

/** `didYouMean`: the query with its mistyped words replaced, if a search by relevance did so. */
const envelope = {
  semantic: z.boolean(),
  total: z.int(),
  didYouMean: z.string().optional(),
  /** Present if requested. */
  facets: relevanceFacets.optional(),
  /** Present if a search by relevance read parts of the query as filters. */
  understood: z.array(understoodPart).optional(),
  /**
   * Present if a search by relevance found nothing because of its filters: each filter without which there are hits; if
   * there is no such filter, all of them together.
   */
  emptied: z.array(emptyingFilters).optional(),
  partial,
};

export const searchLibrary = defineRoute({
  ...endpoints.search.searchLibrary,
  summary: 'Searches one library',
  params: libraryParams,
  query: searchQuery.extend({ share, release: releaseName.optional() }).superRefine(needsRelevance),
  response: z.object({ ...envelope, hits: z.array(searchHit) }),
  errors: ['not_found', 'content_lost'],
});

export const searchLibraries = defineRoute({
  ...endpoints.search.searchLibraries,
  summary: 'Searches up to 50 libraries at once',
  query: searchQuery.extend({ libraries: z.string(), share }).superRefine(needsRelevance),
  response: z.object({
    ...envelope,
    skipped: z.array(z.object({ library: z.string(), reason: z.enum(['not_found', 'unavailable']) })),
    hits: z.array(crossLibraryHit),
  }),
});

const everythingQuery = z.strictObject({
  ...page,
  ...filters,
  ...moreFilters,
  library: anyOf,
  asWords,
  match,
  sort: sort.default('relevance'),
  facets: flag.default('false'),
});
/**
 * What a search by relevance asks of assets besides words. An asset passes a filter if it has one of its values; of `has`,
 * all of them.
 */
export type AskedFilters = Pick<z.infer<typeof everythingQuery>, SearchFilter>;

export const searchEverything = defineRoute({
  ...endpoints.search.searchEverything,
  summary: 'Searches every library that the caller can read, by relevance',
  query: everythingQuery,
  response: z.object({
    ...envelope,
    /** Libraries that could not be read just now. */
    skipped: z.array(z.object({ library: z.string(), reason: z.literal('unavailable') })),
    hits: z.array(crossLibraryHit),
  }),
});

/** Filters narrow what is found, as in a search by relevance. */
const similarQuery = z.strictObject({
  ...filters,
  ...moreFilters,
  library: anyOf,
  /** Only hits that match so. */
  match: z.enum(SIMILARITIES).optional(),
  limit: integerParameter({ min: 1, max: LIMITS.similar.max, default: LIMITS.similar.default }),
  offset: integerParameter({ min: 0, max: LIMITS.similar.max, default: 0 }),
  srcset,
});

const similarHit = crossLibraryHit.extend({
  /** 0 to 1, as is `score`; 1 only for the same files. */
  similarity: z.number(),
  match: z.enum(SIMILARITIES),
  /** The link of a robot on which the hand or gripper hangs that is like it, where the robot as a whole is not. */
  part: z.string().optional(),
});
export type SimilarHit = z.infer<typeof similarHit>;

const similarAssets = z.object({
  /** By what assets were compared; empty if there is nothing to compare by, and so no hit but of the same files. */
  comparedBy: z.array(z.enum(['shape', 'picture', 'vector'])),
  /** At most `LIMITS.similar.max`. */
  total: z.int(),
  partial,
  /** Libraries that could not be read just now. */
  skipped: z.array(z.object({ library: z.string(), reason: z.literal('unavailable') })),
  /** The most similar first. */
  hits: z.array(similarHit),
});
export type SimilarAssets = z.infer<typeof similarAssets>;

export const findSimilar = defineRoute({
  ...endpoints.search.findSimilar,
  summary: 'Finds what is similar to an asset, in every library that the caller can read',
  /** Any text: what is not an id names no asset. */
  params: libraryParams.extend({ assetId: z.string() }),
  query: similarQuery.extend({ share, release: releaseName.optional() }),
  response: similarAssets,
  errors: ['not_found', 'asset_not_found', 'content_lost'],
});

const base64Of = (bytes: number) => z.base64().length(4 * Math.ceil(bytes / 3));

export const findSimilarTo = defineRoute({
  ...endpoints.search.findSimilarTo,
  summary: 'Finds what is similar to a model or a picture that the caller has described',
  query: similarQuery,
  body: z
    .strictObject({
      version: z.literal(DESCRIPTOR_VERSION),
      /** The descriptor of a model, in Base64. */
      model: base64Of(DESCRIPTOR_BYTES.model).optional(),
      /** The descriptor of a picture, in Base64. */
      picture: base64Of(DESCRIPTOR_BYTES.picture).optional(),
      /** The vector of a picture by an image model: little-endian float32 numbers of length 1, in Base64. */
      vector: z
        .strictObject({
          /** As sidecars name it. */
          model: z.string().max(200),
          numbers: base64Of(LIMITS.embedding.dimensions * Float32Array.BYTES_PER_ELEMENT),
        })
        .optional(),
    })
    .refine(({ model, picture, vector }) => model ?? picture ?? vector, {
      error: 'model, picture or vector is needed',
    }),
  response: similarAssets,
});

const completions = z.object({
  /** Assets whose title or id contains the typed words, the last of them as a prefix. */
  names: z.array(
    z.object({
      namespace: z.string(),
      library: z.string(),
      assetId: z.string(),
      title: z.string().nullable(),
    }),
  ),
  /** Tags that begin with the typed text, and how many assets have them. */
  tags: z.array(facetCount),
});
export type Completions = z.infer<typeof completions>;

export const complete = defineRoute({
  ...endpoints.search.complete,
  summary: 'Completes names and tags as the user types, over every library that the caller can read',
  query: z.strictObject({
    q: queryText.default(''),
    limit: integerParameter({ min: 1, max: LIMITS.completions.max, default: LIMITS.completions.default }),
  }),
  response: completions,
});

export const countLibraryFacets = defineRoute({
  ...endpoints.search.countLibraryFacets,
  summary: 'Counts the hits of a search by kind, category, license and tag',
  params: libraryParams,
  query: facetQuery.extend({ share, release: releaseName.optional() }),
  response: z.object({ facets: facetCounts }),
  errors: ['not_found', 'content_lost'],
});

export const countLibrariesFacets = defineRoute({
  ...endpoints.search.countLibrariesFacets,
  summary: 'The same over up to 50 libraries at once',
  query: facetQuery.extend({ libraries: z.string(), share }),
  response: z.object({ facets: facetCounts }),
});

/** For clients without a model of their own, such as browsers that push. A text beyond the model's reach is cut. */
export const encodeTexts = defineRoute({
  ...endpoints.search.encodeTexts,
  summary: 'Encodes texts with the model by which the service searches',
  body: z.strictObject({
    texts: z
      .array(
        z
          .string()
          .min(1)
          .refine((text) => [...text].length <= LIMITS.embedding.textLength, {
            error: `at most ${LIMITS.embedding.textLength} characters`,
          })
          .meta({ maxLength: LIMITS.embedding.textLength }),
      )
      .min(1)
      .max(LIMITS.embedding.texts),
  }),
  response: z.object({
    /** As sidecars name it; null if the service has no model. */
    model: z.string().nullable(),
    /** For each text 768 little-endian float32 numbers of length 1, in Base64; empty without a model. */
    vectors: z.array(z.base64()),
  }),
  errors: ['unavailable'],
});
