import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../context.ts';
import { serve } from '../../http/serve.ts';
import { createRelease, deleteRelease } from '../../libraries/releases/change.ts';
import { listReleases, previewReleaseDeletion, readRelease } from '../../libraries/releases/read.ts';

/** The routes for releases: named revisions of a library. */
export function releaseViews(app: FastifyInstance, context: Context): void {
  const { releases } = routes;

  serve(app, context, releases.listReleases, ({ viewer, params, query }) =>
    listReleases(context, viewer, params, query),
  );

  serve(app, context, releases.createRelease, ({ viewer, params, body }) =>
    createRelease(context, viewer, params, body),
  );

  serve(app, context, releases.getRelease, ({ viewer, params, query }) =>
    readRelease(context, viewer, params, query),
  );

  serve(app, context, releases.previewReleaseDeletion, ({ viewer, params, query }) =>
    previewReleaseDeletion(context, viewer, params, query),
  );

  serve(app, context, releases.deleteRelease, async ({ viewer, params, body }) => {
    await deleteRelease(context, viewer, params, body);
    return null;
  });
}
