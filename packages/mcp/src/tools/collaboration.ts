import { LIMITS, type Note, namespaceSlug, nameText, nodeId, projectSlug } from '@bindery/contract';
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

const listInput = z.strictObject({
  namespace: namespaceSlug,
  project: projectSlug.optional().describe('Only Notes filed in the project of this short name.'),
  search: z.string().max(LIMITS.nameSearch).default(''),
  cursor: cursorInput,
});

const note = z.object({
  noteId: z.string(),
  visibility: z.string(),
  updatedAt: z.string(),
  authored: z.object({ name: z.string() }),
});

const listOutput = z.object({
  total: z.int(),
  notes: z.array(note),
  nextCursor: z.string().nullable(),
});

export const listNotes = (catalog: Catalog) =>
  defineTool({
    name: 'list_notes',
    title: 'List the Notes of a namespace or a project',
    description:
      'Lists the Notes of a namespace that you can read, or those filed in one of its projects, by name. note_places ' +
      'says where else one of them is filed.',
    annotations: READ_ONLY,
    notFound:
      'Check the namespace and the short name of the project; list_projects has them. If it is private, ask the person for a token with access to it.',
    input: listInput,
    output: listOutput,
    async run({ namespace, project, search, cursor }) {
      const question = JSON.stringify([namespace, project, search]);
      const page = readCursor(question, cursor) + 1;
      const asked = { project, search, page, pageSize: BOUNDS.listed };
      const { notes, total, totalPages } = await catalog.listNotes(namespace, asked);
      return {
        value: {
          total,
          notes: notes.map(describe),
          nextCursor: page < totalPages ? writeCursor(question, page) : null,
        },
      };
    },
  });

const placesInput = z.strictObject({
  namespace: namespaceSlug,
  noteId: nodeId,
  cursor: cursorInput,
});

const placesOutput = z.object({
  total: z.int(),
  places: z.array(
    z.object({
      nodeId: z.string(),
      projectId: z.string(),
      project: z.string(),
      authored: z.object({
        name: z.string(),
        folder: z.string(),
        projectName: z.string(),
        bindrs: z.array(z.object({ id: z.string(), name: z.string(), parentId: z.string().nullable() })),
      }),
    }),
  ),
  nextCursor: z.string().nullable(),
});

export const notePlaces = (catalog: Catalog) =>
  defineTool({
    name: 'note_places',
    title: 'Where a Note is filed',
    description:
      'Lists the projects in which a Note is filed, as far as you can see them, with the Bindrs that tag it in each. An ' +
      'empty list does not prove that it is filed nowhere.',
    annotations: READ_ONLY,
    notFound:
      'Check the namespace and the id of the Note. If it is private, ask the person for a token with access to it.',
    input: placesInput,
    output: placesOutput,
    async run({ namespace, noteId, cursor }) {
      const question = JSON.stringify([namespace, noteId]);
      const offset = readCursor(question, cursor);
      const { nodes, total } = await catalog.listNoteNodes(namespace, noteId);
      const end = offset + BOUNDS.nodes;
      return {
        value: {
          total,
          places: nodes.slice(offset, end).map(({ id, name, path, project, bindrs }) => ({
            nodeId: id,
            projectId: project.id,
            project: `${namespace}/${project.slug}`,
            ...authored({
              name,
              folder: path,
              projectName: project.displayName,
              bindrs: bindrs.map(({ id, name, parentId }) => ({ id, name, parentId })),
            }),
          })),
          nextCursor: end < nodes.length ? writeCursor(question, end) : null,
        },
      };
    },
  });

const createInput = z.strictObject({
  namespace: namespaceSlug,
  name: nameText(LIMITS.noteName).describe('What the Note says, in one line.'),
  projects: z
    .array(projectSlug)
    .max(LIMITS.projectsOfNewNote)
    .default([])
    .describe('Short names of the projects in which it is filed; list_projects has them.'),
});

export const createNote = (catalog: Catalog) =>
  defineTool({
    name: 'create_note',
    title: 'Create a Note',
    description:
      'Creates a Note in a namespace and files it in projects of it. Members of the namespace can read it, and people with a role in these projects.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
    notFound:
      'Check the namespace and the short names of the projects; whoami and list_projects have them. If one is private, ask the person for a token with access to it.',
    input: createInput,
    output: note,
    async run({ namespace, name, projects }) {
      return { value: describe(await catalog.createNote(namespace, { name, projects })) };
    },
  });

function describe({ id, name, visibility, updatedAt }: Note): z.input<typeof note> {
  return { noteId: id, visibility, updatedAt, ...authored({ name }) };
}

const bindrsInput = z.strictObject({
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

const bindrsOutput = z.object({
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
    input: bindrsInput,
    output: bindrsOutput,
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
