import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { changeBindr, createBindr, deleteBindr } from '../../bindrs/change.ts';
import { bindrChoices } from '../../bindrs/choices.ts';
import { tagNode, untagNode } from '../../bindrs/tag.ts';
import { bindrTree } from '../../bindrs/tree.ts';
import type { Parts } from '../../parts.ts';
import { serve } from './serve.ts';
import { hasViewParameter } from './view-parameter.ts';

export function bindrViews(app: FastifyInstance, parts: Parts): void {
  const { bindrs } = routes;

  serve(app, parts, bindrs.listBindrs, ({ viewer, params, query, request }) => {
    const view = hasViewParameter(request) ? bindrChoices : bindrTree;
    return view(parts, viewer, params, query);
  });

  serve(app, parts, bindrs.createBindr, ({ viewer, params, body }) =>
    createBindr(parts, viewer, params, body),
  );

  serve(app, parts, bindrs.patchBindr, ({ viewer, params, body }) =>
    changeBindr(parts, viewer, params, body),
  );

  serve(app, parts, bindrs.deleteBindr, async ({ viewer, params, query }) => {
    await deleteBindr(parts, viewer, params, () => ({
      recursive: query().recursive === 'true',
    }));
    return null;
  });

  serve(app, parts, bindrs.tagNode, ({ viewer, params, body }) => tagNode(parts, viewer, params, body));

  serve(app, parts, bindrs.untagNode, async ({ viewer, params }) => {
    await untagNode(parts, viewer, params);
    return null;
  });
}
