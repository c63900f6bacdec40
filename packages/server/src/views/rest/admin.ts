import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { disconnectUser } from '../../administration/disconnect-user.ts';
import { reportHealth } from '../../administration/health.ts';
import { reportModels } from '../../administration/models.ts';
import { handOverNamespace, inspectNamespace, listNamespaces } from '../../administration/namespaces.ts';
import { changeQuota } from '../../administration/quotas.ts';
import { reportStorage } from '../../administration/storage.ts';
import { changeUser, listUsers, readUser, removeUser } from '../../administration/users.ts';
import { readAudit } from '../../audit/read-audit.ts';
import type { Parts } from '../../parts.ts';
import { serve } from './serve.ts';

export function adminViews(app: FastifyInstance, parts: Parts): void {
  const { admin } = routes;

  serve(app, parts, admin.listUsers, async ({ viewer, query }) => listUsers(parts, viewer, query));

  serve(app, parts, admin.getUser, async ({ viewer, params }) => readUser(parts, viewer, params));

  serve(app, parts, admin.patchUser, async ({ viewer, params, body }) =>
    changeUser(parts, viewer, params, body),
  );

  serve(app, parts, admin.deleteUser, async ({ viewer, params, query }) => {
    await removeUser(parts, viewer, params, query);
    return null;
  });

  serve(app, parts, admin.disconnectUser, async ({ viewer, params }) => {
    await disconnectUser(parts, viewer, params);
    return null;
  });

  serve(app, parts, admin.listAllNamespaces, async ({ viewer, query }) =>
    listNamespaces(parts, viewer, query),
  );

  serve(app, parts, admin.inspectNamespace, async ({ viewer, params }) =>
    inspectNamespace(parts, viewer, params),
  );

  serve(app, parts, admin.handOverNamespace, async ({ viewer, params, body }) =>
    handOverNamespace(parts, viewer, params, body),
  );

  serve(app, parts, admin.patchQuota, async ({ viewer, params, body }) =>
    changeQuota(parts, viewer, params, body),
  );

  serve(app, parts, admin.readAudit, async ({ viewer, query }) => readAudit(parts, viewer, query));

  serve(app, parts, admin.getStorage, async ({ viewer }) => reportStorage(parts, viewer));

  serve(app, parts, admin.getHealth, async ({ viewer }) => reportHealth(parts, viewer));

  serve(app, parts, admin.getModels, async ({ viewer }) => reportModels(parts, viewer));
}
