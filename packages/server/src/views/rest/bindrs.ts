import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { loadProject } from '../../access/projects.ts';
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
import { hasViewParameter } from './unparsed-query.ts';

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
