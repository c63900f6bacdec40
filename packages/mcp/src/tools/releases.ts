import { LIMITS, type Release, releaseName, text } from '@bindery/contract';
import { z } from 'zod';
import { BOUNDS, cursorInput, readCursor, writeCursor } from '../arguments.ts';
import { authored, shortened } from '../authored.ts';
import type { Catalog, LibraryName } from '../catalog.ts';
import { defineTool, READ_ONLY } from '../tool.ts';
import { formatLibrary, libraryInput } from './names.ts';

const listInput = z.strictObject({
  library: libraryInput,
  cursor: cursorInput,
});

const release = z.object({
  library: z.string(),
  revision: z.int(),
  assetCount: z.int(),
  totalBytes: z.int(),
  createdAt: z.string(),
  authored: z.object({ notes: z.string().nullable() }),
});

const listOutput = z.object({ releases: z.array(release), nextCursor: z.string().nullable() });

export const listReleases = (catalog: Catalog) =>
  defineTool({
    name: 'list_releases',
    title: 'List the releases of a library',
    description:
      'Lists the releases of a library, newest first. A release is a revision that never changes, whatever is published later.',
    annotations: READ_ONLY,
    input: listInput,
    output: listOutput,
    async run({ library, cursor }) {
      const question = JSON.stringify(['releases', formatLibrary(library)]);
      const page = readCursor(question, cursor) + 1;
      const { releases, totalPages } = await catalog.listReleases(library, {
        page,
        pageSize: BOUNDS.releases,
      });
      return {
        value: {
          releases: releases.map((one) => describe(library, one)),
          nextCursor: page < totalPages ? writeCursor(question, page) : null,
        },
      };
    },
  });

const createInput = z.strictObject({
  library: libraryInput,
  release: releaseName.describe('The name of the release, such as v1.2. Nothing can rename it.'),
  revision: z
    .int()
    .min(1)
    .describe(
      'The current revision, as push or inspect_asset returned it; refused if the library has another.',
    ),
  notes: text(LIMITS.releaseNotes).optional().describe('What people should know about it.'),
});

export const createRelease = (catalog: Catalog) =>
  defineTool({
    name: 'create_release',
    title: 'Release a library',
    description:
      'Gives the current revision of a library a permanent name, under which it stays as it is, whatever is published ' +
      'later. Call it only if the person asked for a release.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
    input: createInput,
    output: release,
    async run({ library, release: name, revision, notes }) {
      return { value: describe(library, await catalog.createRelease(library, { name, revision, notes })) };
    },
  });

function describe(library: LibraryName, { name, notes, ...facts }: Release): z.input<typeof release> {
  const { revision, assetCount, totalBytes, createdAt } = facts;
  return {
    library: formatLibrary({ ...library, release: name }),
    revision,
    assetCount,
    totalBytes,
    createdAt,
    ...authored({ notes: shortened(notes, BOUNDS.listedText) }),
  };
}
