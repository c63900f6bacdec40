import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { readNamespaceAudit } from '../../audit/read-audit.ts';
import type { Context } from '../../context.ts';
import { serve } from '../../http/serve.ts';
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

  serve(app, context, namespaces.listNamespaces, async ({ viewer }) => ({
    namespaces: await listNamespaces(context, viewer),
  }));

  serve(app, context, namespaces.createNamespace, async ({ viewer, body }) =>
    createNamespace(context, viewer, body),
  );

  serve(app, context, namespaces.getNamespace, async ({ viewer, params }) =>
    readNamespace(context, viewer, params),
  );

  serve(app, context, namespaces.patchNamespace, async ({ viewer, params, body }) =>
    renameNamespace(context, viewer, params, body),
  );

  serve(app, context, namespaces.deleteNamespace, async ({ viewer, params }) => {
    await deleteNamespace(context, viewer, params);
    return null;
  });

  serve(app, context, namespaces.readNamespaceAudit, async ({ viewer, params, query }) =>
    readNamespaceAudit(context, viewer, params, query),
  );

  serve(app, context, namespaces.listMembers, async ({ viewer, params }) => ({
    members: await listMembers(context, viewer, params),
  }));

  serve(app, context, namespaces.putMember, async ({ viewer, params, body }) =>
    putMember(context, viewer, params, body),
  );

  serve(app, context, namespaces.removeMember, async ({ viewer, params }) => {
    await removeMember(context, viewer, params);
    return null;
  });
}
