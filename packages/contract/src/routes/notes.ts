import { z } from 'zod';
import { legacyNoteProjects, node, note, noteNodes, notePage } from '../collaboration.ts';
import { endpoints } from '../endpoints.ts';
import { visibility } from '../library.ts';
import { LIMITS } from '../limits.ts';
import { namespaceSlug, nodeId, projectSlug } from '../name-schemas.ts';
import { nameText, none } from '../parameters.ts';
import { defineRoute } from '../route.ts';
import { pageQuery } from './projects.ts';

const namespaceParams = z.strictObject({ namespace: namespaceSlug });
const noteParams = namespaceParams.extend({ noteId: nodeId });
const name = nameText(LIMITS.noteName);

/** With `project`, only the Notes filed in it. */
export const listNotes = defineRoute({
  ...endpoints.notes.listNotes,
  summary: 'The Notes of a namespace that the caller can read',
  params: namespaceParams,
  strictNames: ['namespace'],
  query: pageQuery.extend({ project: projectSlug.optional() }),
  response: notePage,
  errors: ['not_found'],
});

export const createNote = defineRoute({
  ...endpoints.notes.createNote,
  summary: 'Creates a Note, filed in the given projects',
  params: namespaceParams,
  strictNames: ['namespace'],
  body: z.strictObject({
    name,
    visibility: visibility.optional(),
    projects: z.array(projectSlug).max(LIMITS.projectsOfNewNote).optional(),
  }),
  response: note,
  errors: ['not_found', 'forbidden'],
});

export const getNote = defineRoute({
  ...endpoints.notes.getNote,
  summary: 'One Note',
  params: noteParams,
  strictNames: ['namespace', 'noteId'],
  response: note,
  errors: ['not_found'],
});

export const patchNote = defineRoute({
  ...endpoints.notes.patchNote,
  summary: 'Renames a Note or changes its visibility',
  params: noteParams,
  strictNames: ['namespace', 'noteId'],
  body: z.strictObject({ name: name.optional(), visibility: visibility.optional() }),
  response: note,
  errors: ['not_found', 'forbidden'],
});

export const deleteNote = defineRoute({
  ...endpoints.notes.deleteNote,
  summary: 'Deletes a Note and its associations',
  params: noteParams,
  strictNames: ['namespace', 'noteId'],
  errors: ['not_found', 'forbidden'],
});

/** With `view=nodes`, the associations; without it, the view of older clients, for signed-in callers. */
export const listNoteProjects = defineRoute({
  ...endpoints.notes.listNoteProjects,
  summary: 'Where a Note is associated',
  params: noteParams,
  strictNames: ['namespace', 'noteId'],
  query: z.strictObject({ view: z.literal('nodes').optional() }),
  response: z.union([noteNodes, legacyNoteProjects]),
  errors: ['not_found', 'unauthenticated'],
});

const filingParams = noteParams.extend({ projectSlug });

export const fileNote = defineRoute({
  ...endpoints.notes.fileNote,
  summary: 'Files a Note in a project: creates its Node',
  params: filingParams,
  strictNames: ['namespace', 'noteId', 'projectSlug'],
  body: none.nullish(),
  response: node,
  errors: ['not_found', 'forbidden'],
});

export const unfileNote = defineRoute({
  ...endpoints.notes.unfileNote,
  summary: 'Removes a Note from a project: deletes its Node',
  params: filingParams,
  strictNames: ['namespace', 'noteId', 'projectSlug'],
  errors: ['not_found', 'forbidden', 'last_project'],
});
