import { namespaceSlug } from '@bindery/contract';
import { z } from 'zod';
import { BOUNDS, cursorInput, readCursor, writeCursor } from '../arguments.ts';
import { authored, shortened } from '../authored.ts';
import type { Catalog } from '../catalog.ts';
import { defineTool, READ_ONLY } from '../tool.ts';

const input = z.strictObject({
  namespace: namespaceSlug.optional().describe('Only those of this namespace.'),
  limit: z.int().min(1).max(BOUNDS.libraries.max).default(BOUNDS.libraries.default),
  cursor: cursorInput,
});

const library = z.object({
  library: z.string(),
  revision: z.int(),
  visibility: z.string(),
  assetCount: z.int(),
  totalBytes: z.int(),
  updatedAt: z.string(),
  authored: z.object({
    type: z.string(),
    kinds: z.array(z.string()),
    categories: z.array(z.string()),
    title: z.string().nullable(),
    description: z.string().nullable(),
    tags: z.array(z.string()),
    license: z.string().nullable(),
  }),
});

const output = z.object({ libraries: z.array(library), nextCursor: z.string().nullable() });

/** Maximum number of values shown per facet. */
const LISTED_VALUES = 20;

export const listLibraries = (catalog: Catalog) =>
  defineTool({
    name: 'list_libraries',
    title: 'List libraries',
    description: `Lists the libraries that you can read, the most recently changed first; of all namespaces, the first ${BOUNDS.listedLibraries}.`,
    annotations: READ_ONLY,
    notFound:
      'Call it without a namespace, to see those that you can read. If the namespace is private, ask the person for a token with access to it.',
    input,
    output,
    async run({ namespace, limit, cursor }) {
      const question = JSON.stringify([namespace ?? null]);
      const offset = readCursor(question, cursor);
      const end = Math.min(offset + limit, BOUNDS.listedLibraries);
      // One more than is shown, to know whether there is a next page.
      const listed = await catalog.listLibraries(
        namespace ?? null,
        Math.min(end + 1, BOUNDS.listedLibraries),
      );
      return {
        value: {
          libraries: listed.slice(offset, end).map((row) => ({
            library: `${row.namespace}/${row.name}`,
            revision: row.revision,
            visibility: row.visibility,
            assetCount: row.assetCount,
            totalBytes: row.totalBytes,
            updatedAt: row.updatedAt,
            ...authored({
              type: row.type,
              kinds: row.kinds.slice(0, LISTED_VALUES),
              categories: row.categories.slice(0, LISTED_VALUES),
              title: row.title,
              description: shortened(row.description, BOUNDS.listedText),
              tags: row.tags,
              license: row.license,
            }),
          })),
          nextCursor: listed.length > end ? writeCursor(question, end) : null,
        },
      };
    },
  });
