import { LIMITS, namespaceSlug, type Release, releaseName, text } from '@bindery/contract';
import { z } from 'zod';
import { BOUNDS, cursorInput, readCursor, writeCursor } from '../arguments.ts';
import { authored, shortened } from '../authored.ts';
import type { Catalog, LibraryName } from '../catalog.ts';
import { defineTool, READ_ONLY } from '../tool.ts';
import { ToolError } from '../tool-error.ts';
import { limitPaths } from './folders.ts';
import { formatLibrary, libraryInput, numberedInput } from './names.ts';

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

const changesInput = z.strictObject({
  from: numberedInput.describe('The earlier one: acme/robots@v1, or acme/robots#7 for revision 7.'),
  to: numberedInput.optional().describe('The later one; the current revision if omitted.'),
});

const ids = z.array(z.string());

const changesOutput = z.object({
  library: z.string(),
  from: z.int(),
  to: z.int(),
  counts: z.object({ added: z.int(), removed: z.int(), changed: z.int() }),
  authored: z.object({
    added: ids,
    removed: ids,
    changed: z
      .array(z.object({ assetId: z.string(), facts: ids }))
      .describe('The first, with what differs: files, title, license …'),
  }),
});

export const listChanges = (catalog: Catalog) =>
  defineTool({
    name: 'list_changes',
    title: 'What changed in a library',
    description:
      'Compares two releases or revisions of a library: which assets were added, removed and changed, and what of them. Revisions that were replaced ' +
      'can be compared while the service has them, by members.',
    annotations: READ_ONLY,
    input: changesInput,
    output: changesOutput,
    async run({ from, to = { namespace: from.namespace, name: from.name } }) {
      const { namespace, name } = from;
      if (to.namespace !== namespace || to.name !== name)
        throw new ToolError(
          'invalid_parameter',
          'Both must be of one library.',
          'Name the same library twice.',
        );
      const changes = await catalog.readChanges(from, to);
      const { added, removed, changed } = changes;
      return {
        value: {
          library: `${namespace}/${name}`,
          from: changes.from,
          to: changes.to,
          counts: { added: added.length, removed: removed.length, changed: changed.length },
          ...authored({
            added: limitPaths(added),
            removed: limitPaths(removed),
            changed: changed
              .slice(0, BOUNDS.listedPaths)
              .map(({ id, facts }) => ({ assetId: id, facts: [...facts] })),
          }),
        },
      };
    },
  });
