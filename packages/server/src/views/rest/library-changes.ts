import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { loadLibraryForWrite, loadPublishTarget } from '../../access/libraries.ts';
import { describeDetail } from '../../libraries/describe.ts';
import { patchLibrary } from '../../libraries/lifecycle/patch.ts';
import { purgeLibrary } from '../../libraries/lifecycle/purge.ts';
import { deleteLibrary, restoreLibrary } from '../../libraries/lifecycle/trash.ts';
import { registerLibrary } from '../../libraries/register/register-library.ts';
import type { Parts } from '../../parts.ts';
import { serve } from './serve.ts';

/** The routes that change libraries: register, patch, delete, restore, purge. */
export function libraryChangeViews(app: FastifyInstance, parts: Parts): void {
  const { libraries } = routes;
  const { db } = parts;

  serve(app, parts, libraries.registerLibrary, async ({ viewer, params, body, reply }) => {
    const target = await loadPublishTarget(db, viewer, params.slug, params.name);
    const { row, created, warnings } = await registerLibrary(parts, target, params.name, body() ?? {});
    if (created) reply.status(201);
    const detail = describeDetail(parts, { row, namespace: params.slug, viewerCanManage: true });
    return warnings.length > 0 ? { ...detail, warnings } : detail;
  });

  serve(app, parts, libraries.patchLibrary, async ({ viewer, params, body }) => {
    const library = await loadLibraryForWrite(db, viewer, params.slug, params.name);
    return describeDetail(parts, { ...library, row: await patchLibrary(parts, library.row, body()) });
  });

  serve(app, parts, libraries.deleteLibrary, async ({ viewer, params, body }) => {
    const { row } = await loadLibraryForWrite(db, viewer, params.slug, params.name);
    body();
    const { deletedAt } = await deleteLibrary(parts, row);
    return {
      namespace: params.slug,
      name: params.name,
      state: 'deleted' as const,
      deletedAt: new Date(deletedAt).toISOString(),
    };
  });

  serve(app, parts, libraries.restoreLibrary, async ({ viewer, params, body }) => {
    const library = await loadLibraryForWrite(db, viewer, params.slug, params.name);
    body();
    return describeDetail(parts, { ...library, row: await restoreLibrary(parts, library.row) });
  });

  serve(app, parts, libraries.purgeLibrary, async ({ viewer, params, body }) => {
    const { row } = await loadLibraryForWrite(db, viewer, params.slug, params.name);
    body();
    const { objects, bytes } = await purgeLibrary(parts, row);
    return {
      namespace: params.slug,
      name: params.name,
      state: 'purged' as const,
      objectsDeleted: objects,
      bytesFreed: bytes,
    };
  });
}
