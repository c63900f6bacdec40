import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../parts.ts';
import { projectCatalog } from '../../projects/catalog.ts';
import { changeProject, deleteProject } from '../../projects/change.ts';
import { createProject } from '../../projects/create.ts';
import { describeProjectEntry } from '../../projects/describe.ts';
import { listGrants, putGrant, removeGrant } from '../../projects/grants.ts';
import { readProject } from '../../projects/read.ts';
import { serve } from './serve.ts';

export function projectViews(app: FastifyInstance, parts: Parts): void {
  const { projects } = routes;

  serve(app, parts, projects.listProjects, async ({ viewer, params, query }) => {
    const page = await projectCatalog(parts, viewer, params, query);
    return { ...page, projects: page.projects.map(describeProjectEntry) };
  });

  serve(app, parts, projects.createProject, ({ viewer, params, body }) =>
    createProject(parts, viewer, params, body),
  );

  serve(app, parts, projects.getProject, ({ viewer, params }) => readProject(parts, viewer, params));

  serve(app, parts, projects.patchProject, ({ viewer, params, body }) =>
    changeProject(parts, viewer, params, body),
  );

  serve(app, parts, projects.deleteProject, async ({ viewer, params }) => {
    await deleteProject(parts, viewer, params);
    return null;
  });

  serve(app, parts, projects.listGrants, async ({ viewer, params }) => ({
    grants: await listGrants(parts, viewer, params),
  }));

  serve(app, parts, projects.putGrant, ({ viewer, params, body }) => putGrant(parts, viewer, params, body));

  serve(app, parts, projects.removeGrant, async ({ viewer, params }) => {
    await removeGrant(parts, viewer, params);
    return null;
  });
}
