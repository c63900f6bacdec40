import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { readNamespaceAudit } from '../../audit/read-audit.ts';
import { listMembers, putMember, removeMember } from '../../namespaces/members.ts';
import {
  createNamespace,
  deleteNamespace,
  listNamespaces,
  readNamespace,
  renameNamespace,
} from '../../namespaces/namespaces.ts';
import type { Parts } from '../../parts.ts';
import { serve } from './serve.ts';

export function namespaceViews(app: FastifyInstance, parts: Parts): void {
  const { namespaces } = routes;

  serve(app, parts, namespaces.listNamespaces, async ({ viewer }) => ({
    namespaces: await listNamespaces(parts, viewer),
  }));

  serve(app, parts, namespaces.createNamespace, async ({ viewer, body }) =>
    createNamespace(parts, viewer, body),
  );

  serve(app, parts, namespaces.getNamespace, async ({ viewer, params }) =>
    readNamespace(parts, viewer, params),
  );

  serve(app, parts, namespaces.patchNamespace, async ({ viewer, params, body }) =>
    renameNamespace(parts, viewer, params, body),
  );

  serve(app, parts, namespaces.deleteNamespace, async ({ viewer, params }) => {
    await deleteNamespace(parts, viewer, params);
    return null;
  });

  serve(app, parts, namespaces.readNamespaceAudit, async ({ viewer, params, query }) =>
    readNamespaceAudit(parts, viewer, params, query),
  );

  serve(app, parts, namespaces.listMembers, async ({ viewer, params }) => ({
    members: await listMembers(parts, viewer, params),
  }));

  serve(app, parts, namespaces.putMember, async ({ viewer, params, body }) =>
    putMember(parts, viewer, params, body),
  );

  serve(app, parts, namespaces.removeMember, async ({ viewer, params }) => {
    await removeMember(parts, viewer, params);
    return null;
  });
}
