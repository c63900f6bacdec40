import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { loadProject } from '../../access/projects.ts';
import type { Parts } from '../../parts.ts';
import { projectCatalog } from '../../projects/catalog.ts';
import { changeProject, deleteProject } from '../../projects/change.ts';
import { createProject } from '../../projects/create.ts';
import { describeProject, describeProjectEntry } from '../../projects/describe.ts';
import { deleteGrant, listGrants, putGrant } from '../../projects/grants.ts';
import { serve } from './serve.ts';

export function projectViews(app: FastifyInstance, parts: Parts): void {
  const { projects } = routes;

  serve(app, parts, projects.listProjects, async ({ viewer, params, query }) => {
    const page = await projectCatalog(parts, viewer, params.namespace, query);
    return { ...page, projects: page.projects.map(describeProjectEntry) };
  });

  serve(app, parts, projects.createProject, ({ viewer, params, body }) =>
    createProject(parts, viewer, params.namespace, body),
  );

  serve(app, parts, projects.getProject, async ({ viewer, params }) =>
    describeProject(await loadProject(parts.db, viewer, params.namespace, params.projectSlug)),
  );

  serve(app, parts, projects.patchProject, ({ viewer, params, body }) =>
    changeProject(parts, viewer, params.namespace, params.projectSlug, body),
  );

  serve(app, parts, projects.deleteProject, async ({ viewer, params }) => {
    await deleteProject(parts, viewer, params.namespace, params.projectSlug);
    return null;
  });

  serve(app, parts, projects.listGrants, async ({ viewer, params }) => ({
    grants: await listGrants(parts, viewer, params.namespace, params.projectSlug),
  }));

  serve(app, parts, projects.putGrant, ({ viewer, params, body }) =>
    putGrant(parts, viewer, params.namespace, params.projectSlug, params.userName, body),
  );

  serve(app, parts, projects.deleteGrant, async ({ viewer, params }) => {
    await deleteGrant(parts, viewer, params.namespace, params.projectSlug, params.userName);
    return null;
  });
}
