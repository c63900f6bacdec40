import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { loadNamespace, loadNamespaceForWrite } from '../../access/namespaces.ts';
import { loadNote, loadNoteForWrite, loadNoteRow } from '../../access/notes.ts';
import { loadProject, loadProjectFor } from '../../access/projects.ts';
import { requireAccount, requireWriteScope } from '../../access/viewer.ts';
import {
  changeBindr,
  createBindr,
  deleteBindr,
  loadForBindrs,
  loadTagging,
  tagNode,
  untagNode,
} from '../../bindrs/bindrs.ts';
import { bindrChoices, bindrTree } from '../../bindrs/choices.ts';
import type { Context } from '../../context.ts';
import { serve, serveStepwise } from '../../http/serve.ts';
import { fileNote, loadFiling, unfileNote } from '../../notes/filing.ts';
import { legacyNoteProjects, noteNodes } from '../../notes/nodes.ts';
import { changeNote, createNote, deleteNote, describeNote, listNotes } from '../../notes/notes.ts';
import { listGrants, putGrant, removeGrant } from '../../projects/grants.ts';
import {
  changeProject,
  createProject,
  deleteProject,
  describeProject,
  describeProjectEntry,
  projectCatalog,
} from '../../projects/projects.ts';
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

export function projectViews(app: FastifyInstance, context: Context): void {
  const { projects } = routes;

  serve(app, context, projects.listProjects, {
    access: ({ db }, viewer, { namespace }) => loadNamespace(db, viewer, namespace),
    async run(context, { viewer, target, query }) {
      const page = await projectCatalog(context, viewer, target, query);
      return { ...page, projects: page.projects.map(describeProjectEntry) };
    },
  });

  serve(app, context, projects.createProject, {
    access: ({ db }, viewer, { namespace }) => loadNamespaceForWrite(db, viewer, namespace),
    run: (context, { viewer, params, body }) => createProject(context, viewer, params, body),
  });

  serve(app, context, projects.getProject, {
    access: ({ db }, viewer, project) => loadProject(db, viewer, project),
    run: (_context, { target }) => describeProject(target),
  });

  serve(app, context, projects.patchProject, {
    access: ({ db }, viewer, project) => loadProjectFor('update', db, viewer, project),
    run: (context, { viewer, params, body }) => changeProject(context, viewer, params, body),
  });

  serve(app, context, projects.deleteProject, {
    access: ({ db }, viewer, project) => loadProjectFor('delete', db, viewer, project),
    run: (context, { viewer, params }) => deleteProject(context, viewer, params),
  });

  serve(app, context, projects.listGrants, {
    access: ({ db }, viewer, project) => loadProjectFor('manageGrants', db, viewer, project),
    run: async (context, { target }) => ({ grants: await listGrants(context, target) }),
  });

  serve(app, context, projects.putGrant, {
    access: ({ db }, viewer, project) => loadProjectFor('manageGrants', db, viewer, project),
    run: (context, { viewer, params, body }) => putGrant(context, viewer, params, body),
  });

  serve(app, context, projects.removeGrant, {
    access: ({ db }, viewer, project) => loadProjectFor('manageGrants', db, viewer, project),
    run: (context, { viewer, params }) => removeGrant(context, viewer, params),
  });
}

export function bindrViews(app: FastifyInstance, context: Context): void {
  const { bindrs } = routes;

  serveStepwise(app, context, bindrs.listBindrs, async ({ viewer, params, query, request }) => {
    if (hasViewParameter(request)) return bindrChoices(context, viewer, params, query);
    const project = await loadProject(context.db, viewer, params);
    query();
    return bindrTree(context, project);
  });

  serve(app, context, bindrs.createBindr, {
    access: ({ db }, viewer, project) => loadForBindrs('createContent', db, viewer, project),
    run: (context, { viewer, params, body }) => createBindr(context, viewer, params, body),
  });

  serve(app, context, bindrs.patchBindr, {
    access: ({ db }, viewer, { bindrId, ...project }) =>
      loadForBindrs('createContent', db, viewer, project, bindrId),
    run: (context, { viewer, params, body }) => changeBindr(context, viewer, params, body),
  });

  serve(app, context, bindrs.deleteBindr, {
    access: ({ db }, viewer, { bindrId, ...project }) =>
      loadForBindrs('deleteContent', db, viewer, project, bindrId),
    run: (context, { viewer, params, query }) =>
      deleteBindr(context, viewer, params, { recursive: query.recursive === 'true' }),
  });

  serve(app, context, bindrs.tagNode, {
    access: ({ db }, viewer, tagging) => loadTagging(db, viewer, tagging),
    run: (context, { viewer, params }) => tagNode(context, viewer, params),
  });

  serve(app, context, bindrs.untagNode, {
    access: ({ db }, viewer, { bindrId, nodeId: _untagged, ...project }) =>
      loadForBindrs('deleteContent', db, viewer, project, bindrId),
    run: (context, { viewer, params }) => untagNode(context, viewer, params),
  });
}
