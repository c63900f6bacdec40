import { assetId, LIMITS, SIMILARITIES } from '@bindery/contract';
import { z } from 'zod';
import { BOUNDS, cursorInput, readCursor, writeCursor } from '../arguments.ts';
import type { Catalog } from '../catalog.ts';
import { defineTool, READ_ONLY } from '../tool.ts';
import { describeHits, filters, hit, pictures } from './hits.ts';
import { formatLibrary, revisionInput } from './names.ts';

const input = z.strictObject({
  library: revisionInput.describe('<namespace>/<library>, or <namespace>/<library>@<release>.'),
  assetId: assetId.describe('authored.assetId of a hit of search_assets.'),
  match: z
    .enum(SIMILARITIES)
    .optional()
    .describe('Only the same files, the same model otherwise saved, a similar shape, or a similar picture.'),
  ...filters,
  limit: z.int().min(1).max(BOUNDS.hits.max).default(BOUNDS.hits.default).describe('Hits in this response.'),
  pictures,
  cursor: cursorInput,
});

const output = z.object({
  comparedBy: z
    .array(z.enum(['shape', 'picture', 'vector']))
    .describe('Empty: the asset cannot be compared, since its library was pushed without thumbnails.'),
  total: z.int().describe(`Hits on all pages, at most ${LIMITS.similar.max}.`),
  hits: z.array(
    hit.omit({ score: true }).extend({
      match: z.enum(SIMILARITIES),
      similarity: z.number().describe('From 0 to 1; 1 only for the same files.'),
    }),
  ),
  skipped: z.array(z.string()).describe('Libraries that could not be read just now.'),
  nextCursor: z.string().nullable(),
});

export const findSimilar = (catalog: Catalog) =>
  defineTool({
    name: 'find_similar',
    title: 'Find similar assets',
    description:
      'Finds assets like one that you have, in every library that you can read: the same model rescaled or in another format, ' +
      'then others of similar shape, colours or picture. The same filters as in search_assets narrow them.',
    annotations: READ_ONLY,
    viewer: { shows: true },
    input,
    output,
    async run({ library, assetId, cursor, pictures, limit, ...asked }) {
      const question = JSON.stringify([formatLibrary(library), assetId, asked]);
      const offset = readCursor(question, cursor);
      const similar = await catalog.findSimilar(library, assetId, { ...asked, limit, offset });
      const { comparedBy, total, skipped, found } = similar;
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
          nextCursor: found.length > 0 && next < total ? writeCursor(question, next) : null,
        },
        pictures: shown.pictures,
      };
    },
  });
