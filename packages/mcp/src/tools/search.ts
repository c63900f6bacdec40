import { assetId, LIMITS, type RelevanceFacets, SIMILARITIES } from '@bindery/contract';
import { z } from 'zod';
import { BOUNDS, cursorInput, readCursor, writeCursor } from '../arguments.ts';
import { authored } from '../authored.ts';
import type { Catalog, RevisionName } from '../catalog.ts';
import { defineTool, READ_ONLY } from '../tool.ts';
import { ToolError } from '../tool-error.ts';
import type { WorkingCopies } from '../working-copies.ts';
import { fileInput, limitPaths } from './folders.ts';
import { describeHits, filters, hit, pictures, plainFilters } from './hits.ts';
import { formatLibrary, revisionInput } from './names.ts';

const input = z.strictObject({
  query: z
    .string()
    .max(LIMITS.search.queryLength)
    .describe('What to look for, in a few words; if empty, everything that the filters match.'),
  libraries: z
    .array(revisionInput)
    .min(1)
    .max(LIMITS.search.libraries)
    .optional()
    .describe('Only in these, or in one release (acme/robots@v1); everywhere if omitted.'),
  ...filters,
  asWords: z
    .array(z.string().min(1).max(LIMITS.search.queryLength))
    .max(LIMITS.search.filterValues)
    .optional()
    .describe('Parts of the query that are words, though authored.understood has them as filters.'),
  facets: z
    .boolean()
    .default(false)
    .describe('Whether to count which licences, kinds, categories … all hits have.'),
  limit: z.int().min(1).max(BOUNDS.hits.max).default(BOUNDS.hits.default),
  pictures,
  cursor: cursorInput,
});

/** How many libraries were searched, and of how many; null if all were. */
export const searchedShare = z.object({ searched: z.int(), libraries: z.int() }).nullable();

const output = z.object({
  total: z.int(),
  semantic: z.boolean().describe('Whether meaning was compared, in addition to words.'),
  skipped: z
    .array(z.string())
    .describe('Libraries that were not searched: missing, hidden, or temporarily unreadable.'),
  partial: searchedShare,
  hits: z.array(hit),
  authored: z.object({
    facets: z
      .record(z.string(), z.array(z.object({ value: z.string(), count: z.int() })))
      .nullable()
      .describe('Per filter, the values that most hits have.'),
    didYouMean: z.string().nullable(),
    understood: z.array(z.object({ text: z.string(), filter: z.string(), values: z.array(z.string()) })),
    emptied: z
      .array(
        z.object({
          filters: z.array(
            z.object({
              filter: z.string(),
              values: z.array(z.string()),
              existing: z.array(z.object({ value: z.string(), count: z.int() })),
              unmeasured: z.int(),
            }),
          ),
          hits: z.int(),
        }),
      )
      .describe('If there are no hits because of filters: which ones to leave out.'),
  }),
  nextCursor: z.string().nullable(),
});

export const searchAssets = (catalog: Catalog) =>
  defineTool({
    name: 'search_assets',
    title: 'Search assets',
    description:
      'Finds robots, meshes, splats and other assets by words and, if the service has vectors, by meaning, the most ' +
      'relevant first. "Quoted words" are a phrase, -word excludes one; "under 5 MB", "six joints", "CC0 or MIT" are read as filters. Look at the thumbnails before you choose.',
    annotations: READ_ONLY,
    viewer: { shows: true },
    input,
    output,
    async run({ cursor, pictures, limit, libraries, query, ...asked }) {
      const question = JSON.stringify([query, libraries?.map(formatLibrary), asked]);
      const offset = readCursor(question, cursor);
      const release = requireSingleRelease(libraries ?? []);
      const answer = await catalog.search({ query, libraries: libraries ?? null, ...asked, limit, offset });
      const { found, total, semantic, skipped, partial, facets, didYouMean, understood, emptied } = answer;
      const shown = await describeHits(found, pictures, release);
      const next = offset + found.length;
      return {
        value: {
          total,
          semantic,
          skipped: [...skipped],
          partial,
          ...authored({
            facets: facets && shortLists(facets),
            didYouMean,
            understood: [...understood],
            emptied: [...emptied],
          }),
          hits: shown.hits,
          nextCursor: found.length > 0 && next < total ? writeCursor(question, next) : null,
        },
        pictures: shown.pictures,
      };
    },
  });

/** Returns the release to search, if there is one. Throws if it is not the only library. */
function requireSingleRelease(libraries: readonly RevisionName[]): string | undefined {
  const release = libraries.find((library) => library.release !== undefined)?.release;
  if (release === undefined || libraries.length === 1) return release;
  throw new ToolError(
    'invalid_parameter',
    'A release can only be searched by itself.',
    'Search it by itself, and the other libraries in a separate call.',
  );
}

/** Without the values of the filters that hits have none of. */
function shortLists(facets: RelevanceFacets) {
  const counted = Object.entries(facets).filter(([, values]) => values.length > 0);
  return Object.fromEntries(counted.map(([name, values]) => [name, values.slice(0, BOUNDS.facetValues)]));
}

const assetInput = z.strictObject({
  library: revisionInput,
  assetId: assetId.describe('authored.assetId of a hit.'),
  match: z
    .enum(SIMILARITIES)
    .optional()
    .describe('Only the same files, the same model otherwise saved, a similar shape, or a similar picture.'),
  ...plainFilters,
  limit: z.int().min(1).max(BOUNDS.hits.max).default(BOUNDS.hits.default),
  pictures,
  cursor: cursorInput,
});

/** Of a server that has files, too. */
const similarInput = assetInput.partial({ library: true, assetId: true }).extend({
  file: fileInput
    .optional()
    .describe(
      'In place of library and assetId: a model, with the files that it refers to, or a picture; a path such as parts/bracket.stl.',
    ),
});

const similarOutput = z.object({
  comparedBy: z
    .array(z.enum(['shape', 'picture', 'vector']))
    .describe('Empty: the asset cannot be compared, since its library was pushed without thumbnails.'),
  total: z.int(),
  hits: z.array(
    hit.omit({ score: true }).extend({
      match: z.enum(SIMILARITIES),
      similarity: z.number().describe('From 0 to 1; 1 only for the same files.'),
      authored: hit.shape.authored.extend({
        part: z.string().optional().describe('Its hand that is similar.'),
      }),
    }),
  ),
  skipped: z.array(z.string()),
  partial: searchedShare,
  authored: z
    .object({
      missing: z
        .array(z.string())
        .describe('Files that the given file refers to and that are not there: it was compared without.'),
    })
    .optional(),
  nextCursor: z.string().nullable(),
});

export const findSimilar = (catalog: Catalog, copies?: WorkingCopies) =>
  defineTool({
    name: 'find_similar',
    title: 'Find similar assets',
    description:
      `Finds assets like ${copies ? 'another or like a file' : 'one that you have'}, in every library that you can read: the same model rescaled or in another format, ` +
      'then others of similar shape, colours or picture. The same filters as in search_assets narrow them.',
    annotations: READ_ONLY,
    viewer: { shows: true },
    // Without files there is no such parameter.
    input: copies === undefined ? (assetInput as unknown as typeof similarInput) : similarInput,
    output: similarOutput,
    async run({ library, assetId, file, cursor, pictures, limit, ...asked }, { signal }) {
      const question = JSON.stringify([library && formatLibrary(library), assetId, file, asked]);
      const offset = readCursor(question, cursor);
      const request = { ...asked, limit, offset };
      const find = async () => {
        if (library !== undefined && assetId !== undefined && file === undefined)
          return { ...(await catalog.findSimilar(library, assetId, request)), missing: [] };
        if (copies === undefined || file === undefined || library !== undefined || assetId !== undefined)
          throw new ToolError('invalid_parameter', 'Give library and assetId, or file alone.');
        return copies.findSimilar(file, request, signal);
      };
      const { missing, ...similar } = await find();
      const { comparedBy, total, skipped, partial, found } = similar;
      const shown = await describeHits(found, pictures);
      const next = offset + found.length;
      return {
        value: {
          comparedBy: [...comparedBy],
          total,
          hits: found.map(({ hit: { match, part, similarity } }, at) => {
            const { score: _, ...facts } = shown.hits[at] as (typeof shown.hits)[number];
            const said = part === undefined ? facts : { ...facts, ...authored({ ...facts.authored, part }) };
            return { ...said, match, similarity: Number(similarity.toFixed(3)) };
          }),
          skipped: [...skipped],
          partial,
          ...(missing.length > 0 && authored({ missing: limitPaths(missing) })),
          nextCursor: found.length > 0 && next < total ? writeCursor(question, next) : null,
        },
        pictures: shown.pictures,
      };
    },
  });
