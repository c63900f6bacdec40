import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import {
  loadNamespace,
  loadNamespaceForOwner,
  loadNamespaceForReadingOwner,
} from '../../access/namespaces.ts';
import { auditPage } from '../../audit/audit-log.ts';
import type { Context } from '../../context.ts';
import { anyone, serve } from '../../http/serve.ts';
import {
  listMembers,
  loadForMember,
  loadForRemoval,
  putMember,
  removeMember,
} from '../../namespaces/members.ts';
import {
  createNamespace,
  deleteNamespace,
  listNamespaces,
  readNamespace,
  renameNamespace,
  requireNamespaceCreator,
} from '../../namespaces/namespaces.ts';

export function namespaceViews(app: FastifyInstance, context: Context): void {
  const { namespaces } = routes;

  serve(app, context, namespaces.listNamespaces, {
    access: anyone,
    run: async (context, { viewer }) => ({ namespaces: await listNamespaces(context, viewer) }),
  });

  serve(app, context, namespaces.createNamespace, {
    access: (_context, viewer) => requireNamespaceCreator(viewer),
    run: (context, { target, body }) => createNamespace(context, target, body),
  });

  serve(app, context, namespaces.getNamespace, {
    access: ({ db }, viewer, { namespace }) => loadNamespace(db, viewer, namespace),
    run: (context, { target }) => readNamespace(context, target),
  });

  serve(app, context, namespaces.patchNamespace, {
    access: ({ db }, viewer, { namespace }) => loadNamespaceForOwner(db, viewer, namespace),
    run: (context, { viewer, params, body }) => renameNamespace(context, viewer, params, body),
  });

  serve(app, context, namespaces.deleteNamespace, {
    access: ({ db }, viewer, { namespace }) => loadNamespaceForOwner(db, viewer, namespace),
    run: (context, { viewer, params }) => deleteNamespace(context, viewer, params),
  });

  serve(app, context, namespaces.readNamespaceAudit, {
    access: ({ db }, viewer, { namespace }) => loadNamespaceForReadingOwner(db, viewer, namespace),
    run: (context, { target, query }) => auditPage(context, query, target.row.id),
  });

  serve(app, context, namespaces.listMembers, {
    access: ({ db }, viewer, { namespace }) => loadForMember(db, viewer, namespace),
    run: async (context, { target }) => ({ members: await listMembers(context, target) }),
  });

  serve(app, context, namespaces.putMember, {
    access: ({ db }, viewer, { namespace }) => loadNamespaceForOwner(db, viewer, namespace),
    run: (context, { viewer, params, body }) => putMember(context, viewer, params, body),
  });

  serve(app, context, namespaces.removeMember, {
    access: ({ db }, viewer, member) => loadForRemoval(db, viewer, member),
    run: (context, { viewer, params }) => removeMember(context, viewer, params),
  });
}
