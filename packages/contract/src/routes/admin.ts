import { z } from 'zod';
import { quotaLimits, userName } from '../account.ts';
import {
  administeredNamespace,
  administeredNamespaceDetail,
  administeredNamespacePage,
  administeredUser,
  administeredUserDetail,
  administeredUserPage,
  healthReport,
  invitation,
  modelReport,
  storageReport,
} from '../administration.ts';
import { auditPage } from '../audit.ts';
import { endpoints } from '../endpoints.ts';
import { namespaceSlug, nodeId } from '../name-schemas.ts';
import { namespaceParams } from '../parameters.ts';
import { defineRoute } from '../route.ts';
import { auditQuery } from './namespaces.ts';
import { pageQuery } from './projects.ts';

const userParams = z.strictObject({ userName });

export const listUsers = defineRoute({
  ...endpoints.admin.listUsers,
  summary: 'Accounts by name, searchable by user name, display name or e-mail address (operators)',
  query: pageQuery,
  response: administeredUserPage,
  errors: ['not_found'],
});

/** The password is chosen by the operator; with an invitation, people choose their own. */
export const createUser = defineRoute({
  ...endpoints.admin.createUser,
  summary: 'Creates an account with a password (operators)',
  body: z.strictObject({ userName, email: z.string().max(254), password: z.string().max(1_000) }),
  response: administeredUser,
  errors: ['not_found', 'slug_taken'],
});

export const listInvitations = defineRoute({
  ...endpoints.admin.listInvitations,
  summary: 'Invitations that nobody has used, the latest first (operators)',
  response: z.object({
    invitations: z.array(invitation),
    /** Why nobody can be invited; null if people can. */
    refusal: z.string().nullable(),
  }),
  errors: ['not_found'],
});

/** The link is valid once, for seven days, and is not stored. `email` is filled in where the account is created. */
export const createInvitation = defineRoute({
  ...endpoints.admin.createInvitation,
  summary: 'Creates a link with which one person can create an account (operators)',
  body: z.strictObject({ email: z.email({ error: 'must be an e-mail address' }).max(254).optional() }),
  response: invitation.extend({ link: z.string() }),
  errors: ['not_found', 'forbidden'],
});

export const deleteInvitation = defineRoute({
  ...endpoints.admin.deleteInvitation,
  summary: 'Revokes an invitation (operators)',
  params: z.strictObject({ invitationId: nodeId }),
  errors: ['not_found'],
});

export const getUser = defineRoute({
  ...endpoints.admin.getUser,
  summary: 'One account, with what would happen to its namespaces if it were deleted (operators)',
  params: userParams,
  response: administeredUserDetail,
  errors: ['not_found'],
});

/** Making an account an operator, or no longer one, requires a sign-in within the last hour. */
export const patchUser = defineRoute({
  ...endpoints.admin.patchUser,
  summary: 'Disables or enables an account, grants or revokes the operator role (operators)',
  params: userParams,
  body: z
    .strictObject({ disabled: z.boolean().optional(), operator: z.boolean().optional() })
    .refine(({ disabled, operator }) => disabled !== undefined || operator !== undefined, {
      error: 'at least one of disabled and operator',
    }),
  response: administeredUser,
  errors: ['not_found', 'recent_sign_in_required', 'last_operator'],
});

/** Nothing that its namespaces hold is deleted: those that are not empty are handed over to `handOverTo`. */
export const deleteUser = defineRoute({
  ...endpoints.admin.deleteUser,
  summary: 'Deletes an account and hands over the namespaces that only it owns (operators)',
  params: userParams,
  query: z.strictObject({ handOverTo: userName.optional() }),
  errors: ['not_found', 'recent_sign_in_required', 'last_operator', 'namespace_not_empty'],
});

/** Allowed even if it is the last way to sign in, except for the operator's own account. */
export const disconnectUser = defineRoute({
  ...endpoints.admin.disconnectUser,
  summary:
    'Disconnects an account from the OpenID Connect provider and ends the logins made through it (operators)',
  params: userParams,
  errors: ['not_found', 'recent_sign_in_required', 'last_sign_in'],
});

export const listAllNamespaces = defineRoute({
  ...endpoints.admin.listAllNamespaces,
  summary: 'Namespaces by slug, with their sizes and counts (operators)',
  query: pageQuery,
  response: administeredNamespacePage,
  errors: ['not_found'],
});

export const inspectNamespace = defineRoute({
  ...endpoints.admin.inspectNamespace,
  summary: 'One namespace with its members and its largest libraries (operators)',
  params: namespaceParams,
  response: administeredNamespaceDetail,
  errors: ['not_found'],
});

/** Existing members stay members. */
export const handOverNamespace = defineRoute({
  ...endpoints.admin.handOverNamespace,
  summary: 'Adds an account to the owners of a namespace (operators)',
  params: namespaceParams,
  body: z.strictObject({ to: userName }),
  response: administeredNamespace,
  errors: ['not_found', 'recent_sign_in_required'],
});

/** Limits that are left out stay as they are. Nothing is deleted if the namespace already holds more. */
export const patchQuota = defineRoute({
  ...endpoints.admin.patchQuota,
  summary: 'Sets the quota of a namespace; null removes a limit (operators)',
  params: namespaceParams,
  body: quotaLimits.partial().refine((limits) => Object.values(limits).some((limit) => limit !== undefined), {
    error: 'at least one of libraries, files and bytes',
  }),
  response: administeredNamespace,
  errors: ['not_found'],
});

/** `after` is the `endCursor` of the previous page. */
export const readAudit = defineRoute({
  ...endpoints.admin.readAudit,
  summary: 'Who did what and from where, newest first (operators)',
  query: auditQuery.extend({ namespace: namespaceSlug.optional() }),
  response: auditPage,
  errors: ['not_found'],
});

export const getStorage = defineRoute({
  ...endpoints.admin.getStorage,
  summary: 'Storage used by libraries and uploads, and free disk space (operators)',
  response: storageReport,
  errors: ['not_found'],
});

export const getHealth = defineRoute({
  ...endpoints.admin.getHealth,
  summary: 'Health of the process that answers (operators)',
  response: healthReport,
  errors: ['not_found'],
});

export const getModels = defineRoute({
  ...endpoints.admin.getModels,
  summary: 'The model that encodes queries, and the models of the vectors of libraries (operators)',
  response: modelReport,
  errors: ['not_found'],
});
