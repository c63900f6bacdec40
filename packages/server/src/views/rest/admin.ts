import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { disconnectUser } from '../../administration/disconnect-user.ts';
import { handOverNamespace, inspectNamespace, listNamespaces } from '../../administration/namespaces.ts';
import { changeQuota } from '../../administration/quotas.ts';
import { reportHealth, reportModels, reportStorage } from '../../administration/reports.ts';
import { changeUser, listUsers, readUser, removeUser } from '../../administration/users.ts';
import { readAudit } from '../../audit/read.ts';
import type { Context } from '../../context.ts';
import { serveStepwise } from '../../http/serve.ts';

export function adminViews(app: FastifyInstance, context: Context): void {
  const { admin } = routes;

  serveStepwise(app, context, admin.listUsers, async ({ viewer, query }) =>
    listUsers(context, viewer, query),
  );

  serveStepwise(app, context, admin.getUser, async ({ viewer, params }) => readUser(context, viewer, params));

  serveStepwise(app, context, admin.patchUser, async ({ viewer, params, body }) =>
    changeUser(context, viewer, params, body),
  );

  serveStepwise(app, context, admin.deleteUser, async ({ viewer, params, query }) => {
    await removeUser(context, viewer, params, query);
    return null;
  });

  serveStepwise(app, context, admin.disconnectUser, async ({ viewer, params }) => {
    await disconnectUser(context, viewer, params);
    return null;
  });

  serveStepwise(app, context, admin.listAllNamespaces, async ({ viewer, query }) =>
    listNamespaces(context, viewer, query),
  );

  serveStepwise(app, context, admin.inspectNamespace, async ({ viewer, params }) =>
    inspectNamespace(context, viewer, params),
  );

  serveStepwise(app, context, admin.handOverNamespace, async ({ viewer, params, body }) =>
    handOverNamespace(context, viewer, params, body),
  );

  serveStepwise(app, context, admin.patchQuota, async ({ viewer, params, body }) =>
    changeQuota(context, viewer, params, body),
  );

  serveStepwise(app, context, admin.readAudit, async ({ viewer, query }) =>
    readAudit(context, viewer, query),
  );

  serveStepwise(app, context, admin.getStorage, async ({ viewer }) => reportStorage(context, viewer));

  serveStepwise(app, context, admin.getHealth, async ({ viewer }) => reportHealth(context, viewer));

  serveStepwise(app, context, admin.getModels, async ({ viewer }) => reportModels(context, viewer));
}
