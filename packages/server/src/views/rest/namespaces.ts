import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { readNamespaceAudit } from '../../audit/read.ts';
import type { Context } from '../../context.ts';
import { serveStepwise } from '../../http/serve.ts';
import { listMembers, putMember, removeMember } from '../../namespaces/members.ts';
import {
  createNamespace,
  deleteNamespace,
  listNamespaces,
  readNamespace,
  renameNamespace,
} from '../../namespaces/namespaces.ts';

export function namespaceViews(app: FastifyInstance, context: Context): void {
  const { namespaces } = routes;

  serveStepwise(app, context, namespaces.listNamespaces, async ({ viewer }) => ({
    namespaces: await listNamespaces(context, viewer),
  }));

  serveStepwise(app, context, namespaces.createNamespace, async ({ viewer, body }) =>
    createNamespace(context, viewer, body),
  );

  serveStepwise(app, context, namespaces.getNamespace, async ({ viewer, params }) =>
    readNamespace(context, viewer, params),
  );

  serveStepwise(app, context, namespaces.patchNamespace, async ({ viewer, params, body }) =>
    renameNamespace(context, viewer, params, body),
  );

  serveStepwise(app, context, namespaces.deleteNamespace, async ({ viewer, params }) => {
    await deleteNamespace(context, viewer, params);
    return null;
  });

  serveStepwise(app, context, namespaces.readNamespaceAudit, async ({ viewer, params, query }) =>
    readNamespaceAudit(context, viewer, params, query),
  );

  serveStepwise(app, context, namespaces.listMembers, async ({ viewer, params }) => ({
    members: await listMembers(context, viewer, params),
  }));

  serveStepwise(app, context, namespaces.putMember, async ({ viewer, params, body }) =>
    putMember(context, viewer, params, body),
  );

  serveStepwise(app, context, namespaces.removeMember, async ({ viewer, params }) => {
    await removeMember(context, viewer, params);
    return null;
  });
}
