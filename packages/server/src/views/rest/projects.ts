import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../context.ts';
import { serve } from '../../http/serve.ts';
import { projectCatalog } from '../../projects/catalog.ts';
import { changeProject, deleteProject } from '../../projects/change.ts';
import { createProject } from '../../projects/create.ts';
import { describeProjectEntry } from '../../projects/describe.ts';
import { listGrants, putGrant, removeGrant } from '../../projects/grants.ts';
import { readProject } from '../../projects/read.ts';

export function projectViews(app: FastifyInstance, context: Context): void {
  const { projects } = routes;

  serve(app, context, projects.listProjects, async ({ viewer, params, query }) => {
    const page = await projectCatalog(context, viewer, params, query);
    return { ...page, projects: page.projects.map(describeProjectEntry) };
  });

  serve(app, context, projects.createProject, ({ viewer, params, body }) =>
    createProject(context, viewer, params, body),
  );

  serve(app, context, projects.getProject, ({ viewer, params }) => readProject(context, viewer, params));

  serve(app, context, projects.patchProject, ({ viewer, params, body }) =>
    changeProject(context, viewer, params, body),
  );

  serve(app, context, projects.deleteProject, async ({ viewer, params }) => {
    await deleteProject(context, viewer, params);
    return null;
  });

  serve(app, context, projects.listGrants, async ({ viewer, params }) => ({
    grants: await listGrants(context, viewer, params),
  }));

  serve(app, context, projects.putGrant, ({ viewer, params, body }) =>
    putGrant(context, viewer, params, body),
  );

  serve(app, context, projects.removeGrant, async ({ viewer, params }) => {
    await removeGrant(context, viewer, params);
    return null;
  });
}
