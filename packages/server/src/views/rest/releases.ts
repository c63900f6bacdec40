import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { createRelease } from '../../libraries/releases/create.ts';
import { deleteRelease } from '../../libraries/releases/delete.ts';
import { previewReleaseDeletion } from '../../libraries/releases/preview-deletion.ts';
import { listReleases, readRelease } from '../../libraries/releases/read.ts';
import type { Parts } from '../../parts.ts';
import { serve } from './serve.ts';

/** The routes for releases: named revisions of a library. */
export function releaseViews(app: FastifyInstance, parts: Parts): void {
  const { releases } = routes;

  serve(app, parts, releases.listReleases, ({ viewer, params, query }) =>
    listReleases(parts, viewer, params, query),
  );

  serve(app, parts, releases.createRelease, ({ viewer, params, body }) =>
    createRelease(parts, viewer, params, body),
  );

  serve(app, parts, releases.getRelease, ({ viewer, params, query }) =>
    readRelease(parts, viewer, params, query),
  );

  serve(app, parts, releases.previewReleaseDeletion, ({ viewer, params, query }) =>
    previewReleaseDeletion(parts, viewer, params, query),
  );

  serve(app, parts, releases.deleteRelease, async ({ viewer, params, body }) => {
    await deleteRelease(parts, viewer, params, body);
    return null;
  });
}
