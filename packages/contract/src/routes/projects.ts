import { z } from 'zod';
import { userName } from '../account.ts';
import { grant, project, projectCatalogPage, projectRole } from '../collaboration.ts';
import { visibility } from '../library.ts';
import { LIMITS } from '../limits.ts';
import { namespaceSlug, projectSlug } from '../names.ts';
import { integerParameter, nameText, noBody, noContent, none, text } from '../parameters.ts';
import { defineRoute } from '../route.ts';

const namespaceParams = z.strictObject({ namespace: namespaceSlug });
const projectParams = namespaceParams.extend({ projectSlug });
const grantParams = projectParams.extend({ userName });

/** The parameters of a numbered page with a search. */
export const pageQuery = z.strictObject({
  search: text(LIMITS.nameSearch).default(''),
  page: integerParameter({ min: 1, max: LIMITS.pages, default: 1 }),
  pageSize: integerParameter({ min: 1, ...LIMITS.catalogPageSize }),
});
export type PageQuery = z.infer<typeof pageQuery>;

const displayName = nameText(200);
const description = text(10_000);

export const listProjects = defineRoute({
  method: 'GET',
  path: '/namespaces/:namespace/projects',
  summary: 'The project catalog of a namespace: the projects that the caller may read',
  authentication: 'optional',
  params: namespaceParams,
  strictNames: ['namespace'],
  query: pageQuery,
  body: noBody,
  success: 200,
  response: projectCatalogPage,
  errors: ['not_found'],
});

export const createProject = defineRoute({
  method: 'POST',
  path: '/namespaces/:namespace/projects',
  summary: 'Creates a project; its creator becomes its admin',
  authentication: 'required',
  params: namespaceParams,
  strictNames: ['namespace'],
  query: none,
  body: z.strictObject({
    displayName,
    slug: projectSlug.optional(),
    description: description.optional(),
    visibility: visibility.optional(),
  }),
  success: 201,
  response: project,
  errors: ['not_found', 'forbidden', 'slug_taken'],
});

export const getProject = defineRoute({
  method: 'GET',
  path: '/namespaces/:namespace/projects/:projectSlug',
  summary: 'One project',
  authentication: 'optional',
  params: projectParams,
  strictNames: ['namespace', 'projectSlug'],
  query: none,
  body: noBody,
  success: 200,
  response: project,
  errors: ['not_found'],
});

export const patchProject = defineRoute({
  method: 'PATCH',
  path: '/namespaces/:namespace/projects/:projectSlug',
  summary: 'Changes a project (admins)',
  authentication: 'required',
  params: projectParams,
  strictNames: ['namespace', 'projectSlug'],
  query: none,
  body: z.strictObject({
    displayName: displayName.optional(),
    description: description.optional(),
    visibility: visibility.optional(),
  }),
  success: 200,
  response: project,
  errors: ['not_found', 'forbidden'],
});

export const deleteProject = defineRoute({
  method: 'DELETE',
  path: '/namespaces/:namespace/projects/:projectSlug',
  summary: 'Deletes a project with its Nodes and Bindrs, never its Notes (admins)',
  authentication: 'required',
  params: projectParams,
  strictNames: ['namespace', 'projectSlug'],
  query: none,
  body: noBody,
  success: 204,
  response: noContent,
  errors: ['not_found', 'forbidden'],
});

export const listGrants = defineRoute({
  method: 'GET',
  path: '/namespaces/:namespace/projects/:projectSlug/grants',
  summary: 'The direct grants of a project (admins)',
  authentication: 'required',
  params: projectParams,
  strictNames: ['namespace', 'projectSlug'],
  query: none,
  body: noBody,
  success: 200,
  response: z.object({ grants: z.array(grant) }),
  errors: ['not_found', 'forbidden'],
});

export const putGrant = defineRoute({
  method: 'PUT',
  path: '/namespaces/:namespace/projects/:projectSlug/grants/:userName',
  summary: 'Grants a role in a project (admins)',
  authentication: 'required',
  params: grantParams,
  strictNames: ['namespace', 'projectSlug', 'userName'],
  query: none,
  body: z.strictObject({ role: projectRole }),
  success: 200,
  response: grant,
  errors: ['not_found', 'forbidden'],
});

export const removeGrant = defineRoute({
  method: 'DELETE',
  path: '/namespaces/:namespace/projects/:projectSlug/grants/:userName',
  summary: 'Removes a direct grant (admins)',
  authentication: 'required',
  params: grantParams,
  strictNames: ['namespace', 'projectSlug', 'userName'],
  query: none,
  body: noBody,
  success: 204,
  response: noContent,
  errors: ['not_found', 'forbidden'],
});
