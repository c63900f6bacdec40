import { z } from 'zod';
import { membership, namespace, namespaceRole, userName } from '../account.ts';
import { namespaceSlug } from '../names.ts';
import { namespaceParams, noBody, noContent, none } from '../parameters.ts';
import { defineRoute } from '../route.ts';

const displayName = z.string().trim().min(1).max(100);

export const listNamespaces = defineRoute({
  method: 'GET',
  path: '/namespaces',
  summary: 'The namespaces that the caller is a member of',
  authentication: 'required',
  params: none,
  query: none,
  body: noBody,
  success: 200,
  response: z.object({ namespaces: z.array(namespace) }),
  errors: [],
});

export const createNamespace = defineRoute({
  method: 'POST',
  path: '/namespaces',
  summary: 'Creates a team namespace, owned by the caller',
  authentication: 'required',
  params: none,
  query: none,
  body: z.strictObject({ slug: namespaceSlug, displayName: displayName.optional() }),
  success: 201,
  response: namespace,
  errors: ['forbidden', 'slug_taken'],
});

export const getNamespace = defineRoute({
  method: 'GET',
  path: '/namespaces/:namespace',
  summary: 'One namespace',
  authentication: 'optional',
  params: namespaceParams,
  query: none,
  body: noBody,
  success: 200,
  response: namespace,
  errors: ['not_found'],
});

export const patchNamespace = defineRoute({
  method: 'PATCH',
  path: '/namespaces/:namespace',
  summary: 'Renames a namespace (owners)',
  authentication: 'required',
  params: namespaceParams,
  query: none,
  body: z.strictObject({ displayName }),
  success: 200,
  response: namespace,
  errors: ['not_found', 'forbidden'],
});

export const deleteNamespace = defineRoute({
  method: 'DELETE',
  path: '/namespaces/:namespace',
  summary: 'Deletes an empty team namespace (owners)',
  authentication: 'required',
  params: namespaceParams,
  query: none,
  body: noBody,
  success: 204,
  response: noContent,
  errors: ['not_found', 'forbidden', 'namespace_not_empty'],
});

export const listMembers = defineRoute({
  method: 'GET',
  path: '/namespaces/:namespace/members',
  summary: 'The members of a namespace (members)',
  authentication: 'required',
  params: namespaceParams,
  query: none,
  body: noBody,
  success: 200,
  response: z.object({ members: z.array(membership) }),
  errors: ['not_found', 'forbidden'],
});

const memberParams = z.strictObject({ namespace: namespaceSlug, userName });

export const putMember = defineRoute({
  method: 'PUT',
  path: '/namespaces/:namespace/members/:userName',
  summary: 'Adds a member or changes a role (owners)',
  authentication: 'required',
  params: memberParams,
  query: none,
  body: z.strictObject({ role: namespaceRole }),
  success: 200,
  response: membership,
  errors: ['not_found', 'forbidden', 'last_owner'],
});

export const removeMember = defineRoute({
  method: 'DELETE',
  path: '/namespaces/:namespace/members/:userName',
  summary: 'Removes a member (owners), or leaves (oneself)',
  authentication: 'required',
  params: memberParams,
  query: none,
  body: noBody,
  success: 204,
  response: noContent,
  errors: ['not_found', 'forbidden', 'last_owner'],
});
