import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { loadOperator, type Operator } from '../../access/operators.ts';
import type { Viewer } from '../../access/viewer.ts';
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
import { serve } from '../../http/serve.ts';

const access = ({ db }: Context, viewer: Viewer): Promise<Operator> => loadOperator(db, viewer);

/** The routes for operators: accounts, namespaces, the audit log, reports. */
export function adminViews(app: FastifyInstance, context: Context): void {
  const { admin } = routes;

  serve(app, context, admin.listUsers, {
    access,
    run: (context, { query }) => usersPage(context, query),
  });

  serve(app, context, admin.createUser, {
    access,
    run: (context, { viewer, body }) => addUser(context, viewer, body),
  });

  serve(app, context, admin.listInvitations, { access, run: (context) => listInvitations(context) });

  serve(app, context, admin.createInvitation, {
    access,
    run: (context, { viewer, body }) => invite(context, viewer, body),
  });

  serve(app, context, admin.deleteInvitation, {
    access,
    async run(context, { viewer, params }) {
      await revokeInvitation(context, viewer, params);
    },
  });

  serve(app, context, admin.getUser, {
    access,
    run: (context, { params }) => readUser(context, params),
  });

  serve(app, context, admin.patchUser, {
    access,
    run: (context, { viewer, params, body }) => changeUser(context, viewer, params, body),
  });

  serve(app, context, admin.deleteUser, {
    access,
    async run(context, { viewer, params, query }) {
      await deleteUser(context, viewer, params, query);
    },
  });

  serve(app, context, admin.disconnectUser, {
    access,
    async run(context, { viewer, params }) {
      await disconnectUser(context, viewer, params, context.configuration);
    },
  });

  serve(app, context, admin.listAllNamespaces, {
    access,
    run: (context, { query }) => namespacesPage(context, query),
  });

  serve(app, context, admin.inspectNamespace, {
    access,
    run: (context, { params }) => inspectNamespace(context, params),
  });

  serve(app, context, admin.handOverNamespace, {
    access,
    run: (context, { viewer, params, body }) => handOverNamespace(context, viewer, params, body),
  });

  serve(app, context, admin.patchQuota, {
    access,
    run: (context, { viewer, params, body }) => changeQuota(context, viewer, params, body),
  });

  serve(app, context, admin.readAudit, {
    access,
    run: (context, { query }) => auditPage(context, query),
  });

  serve(app, context, admin.getStorage, { access, run: (context) => reportStorage(context) });
  serve(app, context, admin.getHealth, { access, run: (context) => reportHealth(context) });
  serve(app, context, admin.getModels, { access, run: (context) => reportModels(context) });
}

/** The webhooks of all namespaces, for operators. */
export function adminWebhookViews(app: FastifyInstance, context: Context): void {
  const { adminWebhooks } = routes;

  serve(app, context, adminWebhooks.listAllWebhooks, {
    access,
    run: (context, { query }) => webhooksPage(context, query),
  });

  serve(app, context, adminWebhooks.changeAnyWebhook, {
    access,
    async run(context, { viewer, params, body }) {
      const changed = await administerWebhook(context, viewer, params, body);
      context.webhooks.wake();
      return changed;
    },
  });

  serve(app, context, adminWebhooks.listAnyDeliveries, {
    access,
    run: (context, { params, query }) => administeredDeliveries(context, params, query),
  });

  serve(app, context, adminWebhooks.redeliverAny, {
    access,
    async run(context, { viewer, params }) {
      const queued = await redeliverAsOperator(context, viewer, params);
      context.webhooks.wake();
      return queued;
    },
  });
}
