import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../context.ts';
import { serve } from '../../http/serve.ts';
import { legacyNoteProjects, noteNodes } from '../../notes/associations.ts';
import { changeNote, deleteNote } from '../../notes/change.ts';
import { createNote } from '../../notes/create.ts';
import { describeNote } from '../../notes/describe.ts';
import { fileNote, unfileNote } from '../../notes/file.ts';
import { listNotes } from '../../notes/list.ts';
import { readNote } from '../../notes/read.ts';
import { hasViewParameter } from './view-parameter.ts';

export function noteViews(app: FastifyInstance, context: Context): void {
  const { notes } = routes;

  serve(app, context, notes.listNotes, ({ viewer, params, query }) =>
    listNotes(context, viewer, params, query),
  );

  serve(app, context, notes.createNote, ({ viewer, params, body }) =>
    createNote(context, viewer, params, body),
  );

  serve(app, context, notes.getNote, async ({ viewer, params }) =>
    describeNote(await readNote(context, viewer, params)),
  );

  serve(app, context, notes.patchNote, ({ viewer, params, body }) =>
    changeNote(context, viewer, params, body),
  );

  serve(app, context, notes.deleteNote, async ({ viewer, params }) => {
    await deleteNote(context, viewer, params);
    return null;
  });

  serve(app, context, notes.listNoteProjects, ({ viewer, params, query, request }) => {
    const view = hasViewParameter(request) ? noteNodes : legacyNoteProjects;
    return view(context, viewer, params, query);
  });

  serve(app, context, notes.fileNote, ({ viewer, params, body }) => fileNote(context, viewer, params, body));

  serve(app, context, notes.unfileNote, async ({ viewer, params }) => {
    await unfileNote(context, viewer, params);
    return null;
  });
}
