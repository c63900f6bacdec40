import { z } from 'zod';
import { userName } from '../account.ts';
import { grant, project, projectCatalogPage, projectRole } from '../collaboration.ts';
import { endpoints } from '../endpoints.ts';
import { visibility } from '../library.ts';
import { LIMITS } from '../limits.ts';
import { namespaceSlug, projectSlug } from '../name-schemas.ts';
import { integerParameter, nameText, text } from '../parameters.ts';
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
  ...endpoints.projects.listProjects,
  summary: 'The project catalog of a namespace: the projects that the caller can read',
  params: namespaceParams,
  strictNames: ['namespace'],
  query: pageQuery,
  response: projectCatalogPage,
  errors: ['not_found'],
});

export const createProject = defineRoute({
  ...endpoints.projects.createProject,
  summary: 'Creates a project; its creator becomes its admin',
  params: namespaceParams,
  strictNames: ['namespace'],
  body: z.strictObject({
    displayName,
    slug: projectSlug.optional(),
    description: description.optional(),
    visibility: visibility.optional(),
  }),
  response: project,
  errors: ['not_found', 'forbidden', 'slug_taken'],
});

export const getProject = defineRoute({
  ...endpoints.projects.getProject,
  summary: 'One project',
  params: projectParams,
  strictNames: ['namespace', 'projectSlug'],
  response: project,
  errors: ['not_found'],
});

export const patchProject = defineRoute({
  ...endpoints.projects.patchProject,
  summary: 'Changes a project (admins)',
  params: projectParams,
  strictNames: ['namespace', 'projectSlug'],
  body: z.strictObject({
    displayName: displayName.optional(),
    description: description.optional(),
    visibility: visibility.optional(),
  }),
  response: project,
  errors: ['not_found', 'forbidden'],
});

export const deleteProject = defineRoute({
  ...endpoints.projects.deleteProject,
  summary: 'Deletes a project with its Nodes and Bindrs, never its Notes (admins)',
  params: projectParams,
  strictNames: ['namespace', 'projectSlug'],
  errors: ['not_found', 'forbidden'],
});

export const listGrants = defineRoute({
  ...endpoints.projects.listGrants,
  summary: 'The direct grants of a project (admins)',
  params: projectParams,
  strictNames: ['namespace', 'projectSlug'],
  response: z.object({ grants: z.array(grant) }),
  errors: ['not_found', 'forbidden'],
});

export const putGrant = defineRoute({
  ...endpoints.projects.putGrant,
  summary: 'Grants a role in a project (admins)',
  params: grantParams,
  strictNames: ['namespace', 'projectSlug', 'userName'],
  body: z.strictObject({ role: projectRole }),
  response: grant,
  errors: ['not_found', 'forbidden'],
});

export const removeGrant = defineRoute({
  ...endpoints.projects.removeGrant,
  summary: 'Removes a direct grant (admins)',
  params: grantParams,
  strictNames: ['namespace', 'projectSlug', 'userName'],
  errors: ['not_found', 'forbidden'],
});
