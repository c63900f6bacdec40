import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { loadNamespace, loadNamespaceForWrite } from '../../access/namespaces.ts';
import { loadProject, loadProjectFor } from '../../access/projects.ts';
import type { Context } from '../../context.ts';
import { serve } from '../../http/serve.ts';
import { listGrants, putGrant, removeGrant } from '../../projects/grants.ts';
import {
  changeProject,
  createProject,
  deleteProject,
  describeProject,
  describeProjectEntry,
  projectCatalog,
} from '../../projects/projects.ts';

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
