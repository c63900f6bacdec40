import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { loadNamespace } from '../../access/load-namespace.ts';
import { deleteMember, listMembers, putMember } from '../../namespaces/members.ts';
import {
  createNamespace,
  deleteNamespace,
  describeNamespace,
  listNamespaces,
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

  serve(app, parts, namespaces.getNamespace, async ({ viewer, params }) => {
    const { row, role } = await loadNamespace(parts.db, viewer, params.slug);
    return describeNamespace(row, role);
  });

  serve(app, parts, namespaces.patchNamespace, async ({ viewer, params, body }) =>
    renameNamespace(parts, viewer, params.slug, body),
  );

  serve(app, parts, namespaces.deleteNamespace, async ({ viewer, params }) => {
    await deleteNamespace(parts, viewer, params.slug);
    return null;
  });

  serve(app, parts, namespaces.listMembers, async ({ viewer, params }) => ({
    members: await listMembers(parts, viewer, params.slug),
  }));

  serve(app, parts, namespaces.putMember, async ({ viewer, params, body }) =>
    putMember(parts, viewer, params.slug, params.userName, body),
  );

  serve(app, parts, namespaces.deleteMember, async ({ viewer, params }) => {
    await deleteMember(parts, viewer, params.slug, params.userName);
    return null;
  });
}
