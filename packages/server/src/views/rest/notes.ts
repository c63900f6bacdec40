import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { loadNamespace } from '../../access/namespaces.ts';
import { loadNote, loadNoteForWrite, loadNoteRow } from '../../access/notes.ts';
import { requireAccount, requireWriteScope } from '../../access/viewer.ts';
import type { Context } from '../../context.ts';
import { serve } from '../../http/serve.ts';
import { fileNote, loadFiling, unfileNote } from '../../notes/filing.ts';
import { legacyNoteProjects, noteNodes } from '../../notes/nodes.ts';
import { changeNote, createNote, deleteNote, describeNote, listNotes } from '../../notes/notes.ts';
import { hasViewParameter } from './unparsed-query.ts';

export function noteViews(app: FastifyInstance, context: Context): void {
  const { notes } = routes;

  serve(app, context, notes.listNotes, {
    access: ({ db }, viewer, { namespace }) => loadNamespace(db, viewer, namespace),
    run: (context, { viewer, target, query }) => listNotes(context, viewer, target, query),
  });

  serve(app, context, notes.createNote, {
    async access({ db }, viewer, { namespace }) {
      await loadNamespace(db, viewer, namespace);
      requireWriteScope(requireAccount(viewer));
    },
    run: (context, { viewer, params, body }) => createNote(context, viewer, params, body),
  });

  serve(app, context, notes.getNote, {
    access: ({ db }, viewer, note) => loadNote(db, viewer, note),
    run: (_context, { target }) => describeNote(target),
  });

  serve(app, context, notes.patchNote, {
    access: ({ db }, viewer, note) => loadNoteForWrite(db, viewer, note),
    run: (context, { viewer, params, body }) => changeNote(context, viewer, params, body),
  });

  serve(app, context, notes.deleteNote, {
    access: ({ db }, viewer, note) => loadNoteForWrite(db, viewer, note),
    run: (context, { viewer, params }) => deleteNote(context, viewer, params),
  });

  serve(app, context, notes.listNoteProjects, {
    access({ db }, viewer, note, { request }) {
      if (!hasViewParameter(request)) requireAccount(viewer);
      return loadNoteRow(db, viewer, note);
    },
    run: (context, { viewer, target, query }) =>
      query.view === 'nodes'
        ? noteNodes(context, viewer, target)
        : legacyNoteProjects(context, viewer, target),
  });

  serve(app, context, notes.fileNote, {
    access: ({ db }, viewer, filing) => loadFiling('createContent', db, viewer, filing),
    run: (context, { viewer, params }) => fileNote(context, viewer, params),
  });

  serve(app, context, notes.unfileNote, {
    access: ({ db }, viewer, filing) => loadFiling('deleteContent', db, viewer, filing),
    run: (context, { viewer, params }) => unfileNote(context, viewer, params),
  });
}
