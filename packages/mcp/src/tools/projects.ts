import { LIMITS, namespaceSlug } from '@bindery/contract';
import { z } from 'zod';
import { BOUNDS, cursorInput, readCursor, writeCursor } from '../arguments.ts';
import { authored } from '../authored.ts';
import type { Catalog } from '../catalog.ts';
import { defineTool, READ_ONLY } from '../tool.ts';

const input = z.strictObject({
  namespace: namespaceSlug,
  search: z.string().max(LIMITS.nameSearch).default(''),
  cursor: cursorInput,
});

const output = z.object({
  total: z.int(),
  projects: z.array(
    z.object({
      project: z.string(),
      authored: z.object({ name: z.string() }),
    }),
  ),
  nextCursor: z.string().nullable(),
});

export const listProjects = (catalog: Catalog) =>
  defineTool({
    name: 'list_projects',
    title: 'List the projects of a namespace',
    description: 'Lists the projects of a namespace that you can read, by name.',
    annotations: READ_ONLY,
    notFound:
      'Check the namespace; whoami lists those of the account. If it is private, ask the person for a token with access to it.',
    input,
    output,
    async run({ namespace, search, cursor }) {
      const question = JSON.stringify([namespace, search]);
      const page = readCursor(question, cursor) + 1;
      const asked = { search, page, pageSize: BOUNDS.listed };
      const { projects, total, totalPages } = await catalog.listProjects(namespace, asked);
      return {
        value: {
          total,
          projects: projects.map(({ slug, displayName }) => ({
            project: slug,
            ...authored({ name: displayName }),
          })),
          nextCursor: page < totalPages ? writeCursor(question, page) : null,
        },
      };
    },
  });
