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
import type { Context } from '../../context.ts';
import { serve } from '../../http/serve.ts';

export function adminViews(app: FastifyInstance, context: Context): void {
  const { admin } = routes;

  serve(app, context, admin.listUsers, async ({ viewer, query }) => listUsers(context, viewer, query));

  serve(app, context, admin.getUser, async ({ viewer, params }) => readUser(context, viewer, params));

  serve(app, context, admin.patchUser, async ({ viewer, params, body }) =>
    changeUser(context, viewer, params, body),
  );

  serve(app, context, admin.deleteUser, async ({ viewer, params, query }) => {
    await removeUser(context, viewer, params, query);
    return null;
  });

  serve(app, context, admin.disconnectUser, async ({ viewer, params }) => {
    await disconnectUser(context, viewer, params);
    return null;
  });

  serve(app, context, admin.listAllNamespaces, async ({ viewer, query }) =>
    listNamespaces(context, viewer, query),
  );

  serve(app, context, admin.inspectNamespace, async ({ viewer, params }) =>
    inspectNamespace(context, viewer, params),
  );

  serve(app, context, admin.handOverNamespace, async ({ viewer, params, body }) =>
    handOverNamespace(context, viewer, params, body),
  );

  serve(app, context, admin.patchQuota, async ({ viewer, params, body }) =>
    changeQuota(context, viewer, params, body),
  );

  serve(app, context, admin.readAudit, async ({ viewer, query }) => readAudit(context, viewer, query));

  serve(app, context, admin.getStorage, async ({ viewer }) => reportStorage(context, viewer));

  serve(app, context, admin.getHealth, async ({ viewer }) => reportHealth(context, viewer));

  serve(app, context, admin.getModels, async ({ viewer }) => reportModels(context, viewer));
}
