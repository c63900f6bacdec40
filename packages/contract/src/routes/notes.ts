import { z } from 'zod';
import { legacyNoteProjects, node, note, noteNodes, notePage } from '../collaboration.ts';
import { visibility } from '../library.ts';
import { LIMITS } from '../limits.ts';
import { namespaceSlug, nodeId, projectSlug } from '../names.ts';
import { nameText, noBody, noContent, none } from '../parameters.ts';
import { defineRoute } from '../route.ts';
import { pageQuery } from './projects.ts';

const namespaceParams = z.strictObject({ namespace: namespaceSlug });
const noteParams = namespaceParams.extend({ noteId: nodeId });
const name = nameText(200);

/** With `project` only those filed in it. */
export const listNotes = defineRoute({
  method: 'GET',
  path: '/namespaces/:namespace/notes',
  summary: 'The Notes of a namespace that the caller may read',
  authentication: 'optional',
  params: namespaceParams,
  strictNames: ['namespace'],
  query: pageQuery.extend({ project: projectSlug.optional() }),
  body: noBody,
  success: 200,
  response: notePage,
  errors: ['not_found'],
});

export const createNote = defineRoute({
  method: 'POST',
  path: '/namespaces/:namespace/notes',
  summary: 'Creates a Note, filed in the given projects',
  authentication: 'required',
  params: namespaceParams,
  strictNames: ['namespace'],
  query: none,
  body: z.strictObject({
    name,
    visibility: visibility.optional(),
    projects: z.array(projectSlug).max(LIMITS.projectsOfNewNote).optional(),
  }),
  success: 201,
  response: note,
  errors: ['not_found', 'forbidden'],
});

export const getNote = defineRoute({
  method: 'GET',
  path: '/namespaces/:namespace/notes/:noteId',
  summary: 'One Note',
  authentication: 'optional',
  params: noteParams,
  strictNames: ['namespace', 'noteId'],
  query: none,
  body: noBody,
  success: 200,
  response: note,
  errors: ['not_found'],
});

export const patchNote = defineRoute({
  method: 'PATCH',
  path: '/namespaces/:namespace/notes/:noteId',
  summary: 'Renames a Note or changes its visibility',
  authentication: 'required',
  params: noteParams,
  strictNames: ['namespace', 'noteId'],
  query: none,
  body: z.strictObject({ name: name.optional(), visibility: visibility.optional() }),
  success: 200,
  response: note,
  errors: ['not_found', 'forbidden'],
});

export const deleteNote = defineRoute({
  method: 'DELETE',
  path: '/namespaces/:namespace/notes/:noteId',
  summary: 'Deletes a Note and its associations',
  authentication: 'required',
  params: noteParams,
  strictNames: ['namespace', 'noteId'],
  query: none,
  body: noBody,
  success: 204,
  response: noContent,
  errors: ['not_found', 'forbidden'],
});

/** With `view=nodes` the associations; without it the view of earlier clients, for signed-in callers. */
export const listNoteProjects = defineRoute({
  method: 'GET',
  path: '/namespaces/:namespace/resources/note/:noteId/projects',
  summary: 'Where a Note is associated',
  authentication: 'optional',
  params: noteParams,
  strictNames: ['namespace', 'noteId'],
  query: z.strictObject({ view: z.literal('nodes').optional() }),
  body: noBody,
  success: 200,
  response: z.union([noteNodes, legacyNoteProjects]),
  errors: ['not_found', 'unauthenticated'],
});

const filingParams = noteParams.extend({ projectSlug });

export const fileNote = defineRoute({
  method: 'PUT',
  path: '/namespaces/:namespace/resources/note/:noteId/projects/:projectSlug',
  summary: 'Files a Note in a project: creates its Node',
  authentication: 'required',
  params: filingParams,
  strictNames: ['namespace', 'noteId', 'projectSlug'],
  query: none,
  body: none.nullish(),
  success: 200,
  response: node,
  errors: ['not_found', 'forbidden'],
});

export const unfileNote = defineRoute({
  method: 'DELETE',
  path: '/namespaces/:namespace/resources/note/:noteId/projects/:projectSlug',
  summary: 'Takes a Note out of a project: deletes its Node',
  authentication: 'required',
  params: filingParams,
  strictNames: ['namespace', 'noteId', 'projectSlug'],
  query: none,
  body: noBody,
  success: 204,
  response: noContent,
  errors: ['not_found', 'forbidden', 'last_project'],
});
