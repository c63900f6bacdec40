import { type Route, routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { loadOperator, type Operator } from '../../access/operators.ts';
import { deleteUser } from '../../administration/delete-account.ts';
import { invite, listInvitations, revokeInvitation } from '../../administration/invitations.ts';
import {
  changeQuota,
  handOverNamespace,
  inspectNamespace,
  namespacesPage,
} from '../../administration/namespaces.ts';
import { reportHealth, reportModels, reportStorage } from '../../administration/reports.ts';
import { addUser, changeUser, disconnectUser, readUser, usersPage } from '../../administration/users.ts';
import {
  administeredDeliveries,
  administerWebhook,
  redeliverAsOperator,
  webhooksPage,
} from '../../administration/webhooks.ts';
import { auditPage } from '../../audit/audit-log.ts';
import type { Context } from '../../context.ts';
import { type Handler, serve } from '../../http/serve.ts';

/** Serves routes to operators. */
const forOperators =
  (app: FastifyInstance, context: Context) =>
  <R extends Route>(route: R, run: Handler<R, Operator>['run']) =>
    serve(app, context, route, { access: ({ db }, viewer) => loadOperator(db, viewer), run });

/** The routes for operators: accounts, namespaces, the audit log, reports. */
export function adminViews(app: FastifyInstance, context: Context): void {
  const { admin } = routes;
  const operate = forOperators(app, context);

  operate(admin.listUsers, (context, { query }) => usersPage(context, query));
  operate(admin.createUser, (context, { viewer, body }) => addUser(context, viewer, body));
  operate(admin.listInvitations, (context) => listInvitations(context));
  operate(admin.createInvitation, (context, { viewer, body }) => invite(context, viewer, body));
  operate(admin.deleteInvitation, (context, { viewer, params }) => revokeInvitation(context, viewer, params));
  operate(admin.getUser, (context, { params }) => readUser(context, params));
  operate(admin.patchUser, (context, { viewer, params, body }) => changeUser(context, viewer, params, body));
  operate(admin.deleteUser, async (context, { viewer, params, query }) => {
    await deleteUser(context, viewer, params, query);
  });
  operate(admin.disconnectUser, async (context, { viewer, params }) => {
    await disconnectUser(context, viewer, params, context.configuration);
  });
  operate(admin.listAllNamespaces, (context, { query }) => namespacesPage(context, query));
  operate(admin.inspectNamespace, (context, { params }) => inspectNamespace(context, params));
  operate(admin.handOverNamespace, (context, { viewer, params, body }) =>
    handOverNamespace(context, viewer, params, body),
  );
  operate(admin.patchQuota, (context, { viewer, params, body }) =>
    changeQuota(context, viewer, params, body),
  );
  operate(admin.readAudit, (context, { query }) => auditPage(context, query));
  operate(admin.getStorage, (context) => reportStorage(context));
  operate(admin.getHealth, (context) => reportHealth(context));
  operate(admin.getModels, (context) => reportModels(context));
}

/** The webhooks of all namespaces, for operators. */
export function adminWebhookViews(app: FastifyInstance, context: Context): void {
  const { adminWebhooks } = routes;
  const operate = forOperators(app, context);

  operate(adminWebhooks.listAllWebhooks, (context, { query }) => webhooksPage(context, query));
  operate(adminWebhooks.changeAnyWebhook, async (context, { viewer, params, body }) => {
    const changed = await administerWebhook(context, viewer, params, body);
    context.webhooks.wake();
    return changed;
  });
  operate(adminWebhooks.listAnyDeliveries, (context, { params, query }) =>
    administeredDeliveries(context, params, query),
  );
  operate(adminWebhooks.redeliverAny, async (context, { viewer, params }) => {
    const queued = await redeliverAsOperator(context, viewer, params);
    context.webhooks.wake();
    return queued;
  });
}
