import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { loadLibraryForWrite } from '../../access/libraries.ts';
import type { Context } from '../../context.ts';
import { serve } from '../../http/serve.ts';
import { listWatches, removeWatch, setWatch } from '../../libraries/watching/manage.ts';
import { loadForMember } from '../../namespaces/members.ts';

/** The routes for sources that the service imports again and again. */
export function watchViews(app: FastifyInstance, context: Context): void {
  const { watches } = routes;

  serve(app, context, watches.listWatches, {
    access: ({ db }, viewer, { namespace }) => loadForMember(db, viewer, namespace),
    run: async (context, { target }) => ({
      hosts: context.configuration.importHosts,
      watches: await listWatches(context, target.row),
    }),
  });

  serve(app, context, watches.setWatch, {
    access: ({ db }, viewer, library) => loadLibraryForWrite(db, viewer, library),
    run: (context, { viewer, params, body }) => setWatch(context, viewer, params, body),
  });

  serve(app, context, watches.removeWatch, {
    access: ({ db }, viewer, library) => loadLibraryForWrite(db, viewer, library),
    run: (context, { viewer, params }) => removeWatch(context, viewer, params),
  });
}
