import { z } from 'zod';
import { bindr, bindrChoicePage, legacyBindrTree } from '../collaboration.ts';
import { LIMITS } from '../limits.ts';
import { namespaceSlug, nodeId, projectSlug } from '../names.ts';
import { integerParameter, nameText, noBody, noContent, none, text } from '../parameters.ts';
import { defineRoute } from '../route.ts';

const projectParams = z.strictObject({ namespace: namespaceSlug, projectSlug });
const bindrParams = projectParams.extend({ bindrId: nodeId });
const tagParams = bindrParams.extend({ nodeId });
const name = nameText(200);

/**
 * With `view=choices` a page for pickers, with `ancestors=true` also what is above its Bindrs; without `view` the whole
 * tree, the view of earlier clients.
 */
export const listBindrs = defineRoute({
  method: 'GET',
  path: '/namespaces/:namespace/projects/:projectSlug/bindrs',
  summary: 'The Bindrs of a project',
  authentication: 'optional',
  params: projectParams,
  strictNames: ['namespace', 'projectSlug'],
  query: z.strictObject({
    view: z.literal('choices').optional(),
    search: text(LIMITS.nameSearch).default(''),
    first: integerParameter({ min: 1, ...LIMITS.bindrChoices }),
    after: z.string().max(LIMITS.cursorLength).optional(),
    ancestors: z.literal('true').optional(),
  }),
  body: noBody,
  success: 200,
  response: z.union([bindrChoicePage, legacyBindrTree]),
  errors: ['not_found', 'invalid_cursor'],
});

export const createBindr = defineRoute({
  method: 'POST',
  path: '/namespaces/:namespace/projects/:projectSlug/bindrs',
  summary: 'Makes a Bindr',
  authentication: 'required',
  params: projectParams,
  strictNames: ['namespace', 'projectSlug'],
  query: none,
  body: z.strictObject({ name, parentId: nodeId.nullish() }),
  success: 201,
  response: bindr,
  errors: ['not_found', 'forbidden'],
});

export const patchBindr = defineRoute({
  method: 'PATCH',
  path: '/namespaces/:namespace/projects/:projectSlug/bindrs/:bindrId',
  summary: 'Renames or moves a Bindr',
  authentication: 'required',
  params: bindrParams,
  strictNames: ['namespace', 'projectSlug', 'bindrId'],
  query: none,
  body: z.strictObject({ name: name.optional(), parentId: nodeId.nullish() }),
  success: 200,
  response: bindr,
  errors: ['not_found', 'forbidden', 'bindr_cycle'],
});

export const deleteBindr = defineRoute({
  method: 'DELETE',
  path: '/namespaces/:namespace/projects/:projectSlug/bindrs/:bindrId',
  summary: 'Deletes a Bindr; one with children only with recursive=true',
  authentication: 'required',
  params: bindrParams,
  strictNames: ['namespace', 'projectSlug', 'bindrId'],
  query: z.strictObject({ recursive: z.enum(['true', 'false']).default('false') }),
  body: noBody,
  success: 204,
  response: noContent,
  errors: ['not_found', 'forbidden', 'bindr_not_empty'],
});

export const tagNode = defineRoute({
  method: 'PUT',
  path: '/namespaces/:namespace/projects/:projectSlug/bindrs/:bindrId/members/:nodeId',
  summary: 'Tags a Node of the same project',
  authentication: 'required',
  params: tagParams,
  strictNames: ['namespace', 'projectSlug', 'bindrId', 'nodeId'],
  query: none,
  body: none.nullish(),
  success: 200,
  response: z.object({ bindrId: z.string(), nodeId: z.string() }),
  errors: ['not_found', 'forbidden'],
});

export const untagNode = defineRoute({
  method: 'DELETE',
  path: '/namespaces/:namespace/projects/:projectSlug/bindrs/:bindrId/members/:nodeId',
  summary: 'Takes a tag off a Node',
  authentication: 'required',
  params: tagParams,
  strictNames: ['namespace', 'projectSlug', 'bindrId', 'nodeId'],
  query: none,
  body: noBody,
  success: 204,
  response: noContent,
  errors: ['not_found', 'forbidden'],
});
