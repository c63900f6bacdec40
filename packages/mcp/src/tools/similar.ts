import { assetId, SIMILARITIES } from '@bindery/contract';
import { z } from 'zod';
import { BOUNDS, cursorInput, readCursor, writeCursor } from '../arguments.ts';
import { authored } from '../authored.ts';
import type { Catalog } from '../catalog.ts';
import { defineTool, READ_ONLY } from '../tool.ts';
import { ToolError } from '../tool-error.ts';
import type { WorkingCopies } from '../working-copies.ts';
import { fileInput, limitPaths } from './folders.ts';
import { describeHits, hit, pictures, plainFilters } from './hits.ts';
import { formatLibrary, revisionInput } from './names.ts';
import { searchedShare } from './search.ts';

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
const input = assetInput.partial({ library: true, assetId: true }).extend({
  file: fileInput
    .optional()
    .describe(
      'In place of library and assetId: a model, with the files that it refers to, or a picture; a path such as parts/bracket.stl.',
    ),
});

const output = z.object({
  comparedBy: z
    .array(z.enum(['shape', 'picture', 'vector']))
    .describe('Empty: the asset cannot be compared, since its library was pushed without thumbnails.'),
  total: z.int(),
  hits: z.array(
    hit.omit({ score: true }).extend({
      match: z.enum(SIMILARITIES),
      similarity: z.number().describe('From 0 to 1; 1 only for the same files.'),
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
    input: copies === undefined ? (assetInput as unknown as typeof input) : input,
    output,
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
          hits: found.map(({ hit: { match, similarity } }, at) => {
            const { score: _, ...facts } = shown.hits[at] as (typeof shown.hits)[number];
            return { ...facts, match, similarity: Number(similarity.toFixed(3)) };
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
