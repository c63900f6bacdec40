import { z } from 'zod';
import { membership, namespace, namespaceRole, userName } from '../account.ts';
import { auditAction, auditPage } from '../audit.ts';
import { endpoints } from '../endpoints.ts';
import { LIMITS } from '../limits.ts';
import { namespaceSlug } from '../name-schemas.ts';
import { integerParameter, namespaceParams, timestamp } from '../parameters.ts';
import { defineRoute } from '../route.ts';

const displayName = z.string().trim().min(1).max(100);

export const listNamespaces = defineRoute({
  ...endpoints.namespaces.listNamespaces,
  summary: 'The namespaces that the caller is a member of',
  response: z.object({ namespaces: z.array(namespace) }),
});

export const createNamespace = defineRoute({
  ...endpoints.namespaces.createNamespace,
  summary: 'Creates a team namespace, owned by the caller',
  body: z.strictObject({ slug: namespaceSlug, displayName: displayName.optional() }),
  response: namespace,
  errors: ['forbidden', 'slug_taken', 'too_many_namespaces'],
});

export const getNamespace = defineRoute({
  ...endpoints.namespaces.getNamespace,
  summary: 'One namespace',
  params: namespaceParams,
  response: namespace,
  errors: ['not_found'],
});

export const patchNamespace = defineRoute({
  ...endpoints.namespaces.patchNamespace,
  summary: 'Renames a namespace (owners)',
  params: namespaceParams,
  body: z.strictObject({ displayName }),
  response: namespace,
  errors: ['not_found', 'forbidden'],
});

export const deleteNamespace = defineRoute({
  ...endpoints.namespaces.deleteNamespace,
  summary: 'Deletes an empty team namespace (owners)',
  params: namespaceParams,
  errors: ['not_found', 'forbidden', 'namespace_not_empty'],
});

export const auditQuery = z.strictObject({
  first: integerParameter({ min: 1, ...LIMITS.auditPageSize }),
  after: z
    .string()
    .regex(/^[0-9a-f]{32}$/, { error: 'the endCursor of a page' })
    .optional(),
  user: userName.optional(),
  action: auditAction.optional(),
  since: timestamp.optional(),
  until: timestamp.optional(),
});

/** `after` is the `endCursor` of the previous page; `since` is inclusive, `until` exclusive. */
export const readNamespaceAudit = defineRoute({
  ...endpoints.namespaces.readNamespaceAudit,
  summary: 'Who did what in a namespace and from where, newest first (owners)',
  params: namespaceParams,
  query: auditQuery,
  response: auditPage,
  errors: ['not_found', 'forbidden'],
});

export const listMembers = defineRoute({
  ...endpoints.namespaces.listMembers,
  summary: 'The members of a namespace (members)',
  params: namespaceParams,
  response: z.object({ members: z.array(membership) }),
  errors: ['not_found', 'forbidden'],
});

const memberParams = z.strictObject({ namespace: namespaceSlug, userName });

export const putMember = defineRoute({
  ...endpoints.namespaces.putMember,
  summary: 'Adds a member or changes a role (owners)',
  params: memberParams,
  body: z.strictObject({ role: namespaceRole }),
  response: membership,
  errors: ['not_found', 'forbidden', 'last_owner'],
});

export const removeMember = defineRoute({
  ...endpoints.namespaces.removeMember,
  summary: 'Removes a member (owners), or leaves (oneself)',
  params: memberParams,
  errors: ['not_found', 'forbidden', 'last_owner'],
});
