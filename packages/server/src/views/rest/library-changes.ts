import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../context.ts';
import { readIfMatched } from '../../http/conditional.ts';
import { serve } from '../../http/serve.ts';
import { patchLibrary } from '../../libraries/lifecycle/patch.ts';
import { deleteLibrary, purgeLibrary, restoreLibrary } from '../../libraries/lifecycle/trash.ts';
import { registerLibrary } from '../../libraries/publish/register.ts';
import { describeDetail } from '../../libraries/read/library.ts';

/** The routes that change libraries: register, patch, delete, restore, purge. */
export function libraryChangeViews(app: FastifyInstance, context: Context): void {
  const { libraries } = routes;

  serve(app, context, libraries.registerLibrary, async ({ viewer, params, body, reply }) => {
    const { row, created, warnings } = await registerLibrary(context, viewer, params, body);
    if (created) reply.status(201);
    const detail = describeDetail(context, { row, namespace: params.namespace, viewerCanManage: true });
    return warnings.length > 0 ? { ...detail, warnings } : detail;
  });

  serve(app, context, libraries.patchLibrary, async ({ viewer, params, body, request }) => {
    const row = await patchLibrary(context, viewer, params, readIfMatched(request, body));
    return describeDetail(context, { row, namespace: params.namespace, viewerCanManage: true });
  });

  serve(app, context, libraries.deleteLibrary, async ({ viewer, params, body, request }) => {
    const { deletedAt } = await deleteLibrary(context, viewer, params, readIfMatched(request, body));
    return {
      namespace: params.namespace,
      name: params.name,
      state: 'deleted' as const,
      deletedAt: new Date(deletedAt).toISOString(),
    };
  });

  serve(app, context, libraries.restoreLibrary, async ({ viewer, params, body }) => {
    const row = await restoreLibrary(context, viewer, params, body);
    return describeDetail(context, { row, namespace: params.namespace, viewerCanManage: true });
  });

  serve(app, context, libraries.purgeLibrary, async ({ viewer, params, body }) => {
    const { objects, bytes } = await purgeLibrary(context, viewer, params, body);
    return {
      namespace: params.namespace,
      name: params.name,
      state: 'purged' as const,
      objectsDeleted: objects,
      bytesFreed: bytes,
    };
  });
}
