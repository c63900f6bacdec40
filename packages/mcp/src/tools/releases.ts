import { z } from 'zod';
import { BOUNDS, cursorInput, readCursor, writeCursor } from '../arguments.ts';
import { authored, shortened } from '../authored.ts';
import type { Catalog } from '../catalog.ts';
import { defineTool, READ_ONLY } from '../tool.ts';
import { formatLibrary, libraryInput } from './names.ts';

const input = z.strictObject({
  library: libraryInput.describe('<namespace>/<library>.'),
  cursor: cursorInput,
});

const release = z.object({
  library: z.string().describe('In the form that other tools accept.'),
  revision: z.int(),
  assetCount: z.int(),
  totalBytes: z.int(),
  createdAt: z.string(),
  authored: z.object({ notes: z.string().nullable() }),
});

const output = z.object({ releases: z.array(release), nextCursor: z.string().nullable() });

export const listReleases = (catalog: Catalog) =>
  defineTool({
    name: 'list_releases',
    title: 'List the releases of a library',
    description:
      'Lists the releases of a library, newest first. A release is a revision that never changes, whatever is published later.',
    annotations: READ_ONLY,
    input,
    output,
    async run({ library, cursor }) {
      const question = JSON.stringify(['releases', formatLibrary(library)]);
      const page = readCursor(question, cursor) + 1;
      const { releases, totalPages } = await catalog.listReleases(library, {
        page,
        pageSize: BOUNDS.releases,
      });
      return {
        value: {
          releases: releases.map(({ name, revision, assetCount, totalBytes, createdAt, notes }) => ({
            library: formatLibrary({ ...library, release: name }),
            revision,
            assetCount,
            totalBytes,
            createdAt,
            ...authored({ notes: shortened(notes, BOUNDS.listedText) }),
          })),
          nextCursor: page < totalPages ? writeCursor(question, page) : null,
        },
      };
    },
  });
