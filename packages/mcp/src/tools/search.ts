import { FEATURES, LICENSE_CLASSES, LIMITS, type RelevanceFacets, readRange } from '@bindery/contract';
import { z } from 'zod';
import { BOUNDS, cursorInput, readCursor, writeCursor } from '../arguments.ts';
import { authored, shortened } from '../authored.ts';
import type { Catalog, FoundAsset, RevisionName } from '../catalog.ts';
import { picturesOf } from '../pictures.ts';
import { defineTool, READ_ONLY } from '../tool.ts';
import { ToolError } from '../tool-error.ts';
import { formatLibrary, revisionInput } from './names.ts';

const value = z.string().min(1).max(200);
const filter = (description: string, one: z.ZodType<string> = value) =>
  z
    .union([one, z.array(one).min(1).max(LIMITS.search.filterValues)])
    .transform((values) => [values].flat())
    .optional()
    .describe(description);

const rangeValue = z.string().refine((text) => readRange(text) !== null, { error: 'a number or a range' });
const range = (description: string) => filter(`${description}: "..5", "2..5", "2.." or "2".`, rangeValue);

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
    .describe(
      'Only in these, each as <namespace>/<library>; or in one release, <namespace>/<library>@<release>; everywhere if omitted.',
    ),
  category: filter('Only of this category, or one of these; so are the other filters.'),
  kind: filter('Only of this kind: mjcf, urdf, sdf, mesh, splat, image, file …'),
  license: filter(
    `Only under this licence, as SPDX writes it (MIT, Apache-2.0, CC-BY-4.0 …), or of this class: ${LICENSE_CLASSES.join(', ')}.`,
  ),
  tag: filter('Only with this tag.'),
  format: filter('Only in this format: glb, usd, obj, xml …'),
  author: filter('Only by this author, as the attribution names them.'),
  has: z.array(z.enum(FEATURES)).min(1).optional().describe('Only with all of these.'),
  bytes: range('Only with a download of so many bytes'),
  height: range('Only so tall, in metres'),
  extent: range('Only with a longest side of so many metres'),
  mass: range('Only of so many kilograms'),
  joints: range('Only with so many joints'),
  triangles: range('Only with so many triangles'),
  asWords: z
    .array(z.string().min(1).max(LIMITS.search.queryLength))
    .max(LIMITS.search.filterValues)
    .optional()
    .describe('Parts of the query that are words, though `understood` says that they were read as filters.'),
  facets: z
    .boolean()
    .default(false)
    .describe(
      'Whether to count the values that all hits have: which licences, kinds, categories … there are.',
    ),
  limit: z.int().min(1).max(BOUNDS.hits.max).default(BOUNDS.hits.default).describe('Hits in this response.'),
  pictures: z
    .boolean()
    .default(true)
    .describe(`Whether to include the thumbnails of the first ${BOUNDS.pictures.perAnswer} hits as images.`),
  cursor: cursorInput,
});

const hit = z.object({
  library: z.string().describe('In the form that other tools accept.'),
  score: z.number(),
  files: z.object({ count: z.int(), bytes: z.int() }),
  digest: z.string(),
  picture: z.int().nullable().describe('Which image of this response shows it, counted from 1.'),
  authored: z.object({
    assetId: z.string(),
    kind: z.string(),
    format: z.string().nullable(),
    category: z.string().nullable(),
    title: z.string().nullable(),
    description: z.string().nullable(),
    tags: z.array(z.string()),
    license: z.string().nullable(),
  }),
});

const output = z.object({
  total: z.int().describe('Hits on all pages.'),
  semantic: z.boolean().describe('Whether meaning was compared, in addition to words.'),
  skipped: z
    .array(z.string())
    .describe('Libraries that were not searched: missing, hidden, or temporarily unreadable.'),
  hits: z.array(hit),
  authored: z.object({
    facets: z
      .record(z.string(), z.array(z.object({ value: z.string(), count: z.int() })))
      .nullable()
      .describe('Per filter, the values that most hits have.'),
    didYouMean: z.string().nullable().describe('What was searched instead of a mistyped query.'),
    understood: z
      .array(z.object({ text: z.string(), filter: z.string(), values: z.array(z.string()) }))
      .describe('Parts of the query that were read as filters, not as words.'),
    emptied: z
      .array(
        z.object({
          filters: z.array(
            z.object({
              filter: z.string(),
              values: z.array(z.string()),
              existing: z
                .array(z.object({ value: z.string(), count: z.int() }))
                .describe('What there is instead.'),
            }),
          ),
          hits: z.int().describe('Hits without these filters.'),
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
      'relevant first. "Quoted words" are a phrase, -word excludes a word; "under 5 MB", "six joints", "CC0 or MIT" are read as filters. Thumbnails are included as images, so look before you choose. ' +
      'Then call inspect_asset.',
    annotations: READ_ONLY,
    input,
    output,
    async run({ cursor, pictures, limit, libraries, query, ...filters }) {
      const question = JSON.stringify([query, libraries?.map(formatLibrary), filters]);
      const offset = readCursor(question, cursor);
      const release = requireSingleRelease(libraries ?? []);
      const answer = await catalog.search({ query, libraries: libraries ?? null, ...filters, limit, offset });
      const { found, total, semantic, skipped, facets, didYouMean, understood, emptied } = answer;
      const shown = await picturesOf(pictures ? found : []);
      const labelled = found.flatMap((_, at) => {
        const picture = shown[at];
        return picture ? [{ at, picture }] : [];
      });
      const next = offset + found.length;
      return {
        value: {
          total,
          semantic,
          skipped: [...skipped],
          ...authored({
            facets: facets && shortLists(facets),
            didYouMean,
            understood: [...understood],
            emptied: [...emptied],
          }),
          hits: found.map((one, at) => describe(one, release, numberOf(labelled, at))),
          nextCursor: found.length > 0 && next < total ? writeCursor(question, next) : null,
        },
        pictures: labelled.map(({ at, picture }, number) => ({
          label: `Image ${number + 1}: hit ${at + 1}`,
          picture,
        })),
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

function numberOf(labelled: readonly { at: number }[], at: number): number | null {
  const index = labelled.findIndex((one) => one.at === at);
  return index < 0 ? null : index + 1;
}

function describe(
  { hit }: FoundAsset,
  release: string | undefined,
  picture: number | null,
): z.input<typeof output>['hits'][number] {
  const { namespace, library: name, assetId, kind, format, category, score, files, digest } = hit;
  return {
    library: formatLibrary({ namespace, name, release }),
    score,
    files,
    digest,
    picture,
    ...authored({
      assetId,
      kind,
      format,
      category,
      title: hit.title,
      description: shortened(hit.description, BOUNDS.listedText),
      tags: hit.tags,
      license: hit.license,
    }),
  };
}
