import { LIMITS, namespaceSlug, projectSlug } from '@bindery/contract';
import { z } from 'zod';
import { authored } from '../authored.ts';
import type { Catalog } from '../catalog.ts';
import { defineTool, READ_ONLY } from '../tool.ts';

const input = z.strictObject({
  namespace: namespaceSlug,
  project: projectSlug,
  search: z.string().max(LIMITS.nameSearch).optional(),
  limit: z.int().min(1).max(LIMITS.bindrChoices.max).default(LIMITS.bindrChoices.default),
  cursor: z
    .string()
    .max(LIMITS.cursorLength)
    .optional()
    .describe('nextCursor of the previous answer; all other arguments as before.'),
});

const output = z.object({
  bindrs: z.array(
    z.object({
      id: z.string(),
      parentId: z.string().nullable(),
      authored: z.object({ name: z.string() }),
    }),
  ),
  nextCursor: z.string().nullable(),
});

export const listBindrs = (catalog: Catalog) =>
  defineTool({
    name: 'list_bindrs',
    title: 'List the Bindrs of a project',
    description: 'Lists the Bindrs, which are tags, of one project by name.',
    annotations: READ_ONLY,
    notFound:
      'Check the namespace and the short name of the project. If it is private, ask the person for a token with access to it.',
    input,
    output,
    async run({ namespace, project, search, limit, cursor }) {
      const page = { search, first: limit, after: cursor };
      const { nodes, pageInfo } = await catalog.listBindrs({ namespace, projectSlug: project }, page);
      return {
        value: {
          bindrs: nodes.map(({ id, parentId, name }) => ({ id, parentId, ...authored({ name }) })),
          nextCursor: pageInfo.hasNextPage ? pageInfo.endCursor : null,
        },
      };
    },
  });
