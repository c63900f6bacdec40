import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { legacyNoteProjects, noteNodes } from '../../notes/associations.ts';
import { changeNote, deleteNote } from '../../notes/change.ts';
import { createNote } from '../../notes/create.ts';
import { describeNote } from '../../notes/describe.ts';
import { fileNote, unfileNote } from '../../notes/file.ts';
import { listNotes } from '../../notes/list.ts';
import { readNote } from '../../notes/read.ts';
import type { Parts } from '../../parts.ts';
import { serve } from './serve.ts';
import { hasViewParameter } from './view-parameter.ts';

export function noteViews(app: FastifyInstance, parts: Parts): void {
  const { notes } = routes;

  serve(app, parts, notes.listNotes, ({ viewer, params, query }) => listNotes(parts, viewer, params, query));

  serve(app, parts, notes.createNote, ({ viewer, params, body }) => createNote(parts, viewer, params, body));

  serve(app, parts, notes.getNote, async ({ viewer, params }) =>
    describeNote(await readNote(parts, viewer, params)),
  );

  serve(app, parts, notes.patchNote, ({ viewer, params, body }) => changeNote(parts, viewer, params, body));

  serve(app, parts, notes.deleteNote, async ({ viewer, params }) => {
    await deleteNote(parts, viewer, params);
    return null;
  });

  serve(app, parts, notes.listNoteProjects, ({ viewer, params, query, request }) => {
    const view = hasViewParameter(request) ? noteNodes : legacyNoteProjects;
    return view(parts, viewer, params, query);
  });

  serve(app, parts, notes.fileNote, ({ viewer, params, body }) => fileNote(parts, viewer, params, body));

  serve(app, parts, notes.unfileNote, async ({ viewer, params }) => {
    await unfileNote(parts, viewer, params);
    return null;
  });
}
