import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { changeBindr, createBindr, deleteBindr } from '../../bindrs/change.ts';
import { bindrChoices } from '../../bindrs/choices.ts';
import { tagNode, untagNode } from '../../bindrs/tag.ts';
import { bindrTree } from '../../bindrs/tree.ts';
import type { Context } from '../../context.ts';
import { serve } from '../../http/serve.ts';
import { hasViewParameter } from './view-parameter.ts';

export function bindrViews(app: FastifyInstance, context: Context): void {
  const { bindrs } = routes;

  serve(app, context, bindrs.listBindrs, ({ viewer, params, query, request }) => {
    const view = hasViewParameter(request) ? bindrChoices : bindrTree;
    return view(context, viewer, params, query);
  });

  serve(app, context, bindrs.createBindr, ({ viewer, params, body }) =>
    createBindr(context, viewer, params, body),
  );

  serve(app, context, bindrs.patchBindr, ({ viewer, params, body }) =>
    changeBindr(context, viewer, params, body),
  );

  serve(app, context, bindrs.deleteBindr, async ({ viewer, params, query }) => {
    await deleteBindr(context, viewer, params, () => ({
      recursive: query().recursive === 'true',
    }));
    return null;
  });

  serve(app, context, bindrs.tagNode, ({ viewer, params, body }) => tagNode(context, viewer, params, body));

  serve(app, context, bindrs.untagNode, async ({ viewer, params }) => {
    await untagNode(context, viewer, params);
    return null;
  });
}
