import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { loadLibrary, loadLibraryForWrite } from '../../access/libraries.ts';
import type { Context } from '../../context.ts';
import { serve } from '../../http/serve.ts';
import { createRelease, deleteRelease } from '../../libraries/releases/change.ts';
import { listReleases, previewReleaseDeletion, readRelease } from '../../libraries/releases/read.ts';

/** The routes for releases: named revisions of a library. */
export function releaseViews(app: FastifyInstance, context: Context): void {
  const { releases } = routes;

  serve(app, context, releases.listReleases, {
    access: ({ db }, viewer, library) => loadLibrary(db, viewer, library),
    run: (context, { target, query }) => listReleases(context, target, query),
  });

  serve(app, context, releases.createRelease, {
    access: ({ db }, viewer, library) => loadLibraryForWrite(db, viewer, library),
    run: (context, { viewer, params, body }) => createRelease(context, viewer, params, body),
  });

  serve(app, context, releases.getRelease, {
    access: ({ db }, viewer, { namespace, name }) => loadLibrary(db, viewer, { namespace, name }),
    run: (context, { target, params }) => readRelease(context, target, params.release),
  });

  serve(app, context, releases.previewReleaseDeletion, {
    access: ({ db }, viewer, library) => loadLibraryForWrite(db, viewer, library),
    run: (context, { target, params }) => previewReleaseDeletion(context, target.row, params.release),
  });

  serve(app, context, releases.deleteRelease, {
    access: ({ db }, viewer, library) => loadLibraryForWrite(db, viewer, library),
    run: (context, { viewer, params }) => deleteRelease(context, viewer, params),
  });
}
