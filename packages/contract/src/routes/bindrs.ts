import { z } from 'zod';
import { bindr, bindrChoicePage, legacyBindrTree } from '../collaboration.ts';
import { endpoints } from '../endpoints.ts';
import { LIMITS } from '../limits.ts';
import { namespaceSlug, nodeId, projectSlug } from '../name-schemas.ts';
import { integerParameter, nameText, none, text } from '../parameters.ts';
import { defineRoute } from '../route.ts';

const projectParams = z.strictObject({ namespace: namespaceSlug, projectSlug });
const bindrParams = projectParams.extend({ bindrId: nodeId });
const tagParams = bindrParams.extend({ nodeId });
const name = nameText(200);

/**
 * With `view=choices`, a page for pickers, and with `ancestors=true` also the ancestors of its Bindrs; without `view`,
 * the whole tree, which is the view of older clients.
 */
export const listBindrs = defineRoute({
  ...endpoints.bindrs.listBindrs,
  summary: 'The Bindrs of a project',
  params: projectParams,
  strictNames: ['namespace', 'projectSlug'],
  query: z.strictObject({
    view: z.literal('choices').optional(),
    search: text(LIMITS.nameSearch).default(''),
    first: integerParameter({ min: 1, ...LIMITS.bindrChoices }),
    after: z.string().max(LIMITS.cursorLength).optional(),
    ancestors: z.literal('true').optional(),
  }),
  response: z.union([bindrChoicePage, legacyBindrTree]),
  errors: ['not_found', 'invalid_cursor'],
});

export const createBindr = defineRoute({
  ...endpoints.bindrs.createBindr,
  summary: 'Creates a Bindr',
  params: projectParams,
  strictNames: ['namespace', 'projectSlug'],
  body: z.strictObject({ name, parentId: nodeId.nullish() }),
  response: bindr,
  errors: ['not_found', 'forbidden'],
});

export const patchBindr = defineRoute({
  ...endpoints.bindrs.patchBindr,
  summary: 'Renames or moves a Bindr',
  params: bindrParams,
  strictNames: ['namespace', 'projectSlug', 'bindrId'],
  body: z.strictObject({ name: name.optional(), parentId: nodeId.nullish() }),
  response: bindr,
  errors: ['not_found', 'forbidden', 'bindr_cycle'],
});

export const deleteBindr = defineRoute({
  ...endpoints.bindrs.deleteBindr,
  summary: 'Deletes a Bindr; one with children only with recursive=true',
  params: bindrParams,
  strictNames: ['namespace', 'projectSlug', 'bindrId'],
  query: z.strictObject({ recursive: z.enum(['true', 'false']).default('false') }),
  errors: ['not_found', 'forbidden', 'bindr_not_empty'],
});

export const tagNode = defineRoute({
  ...endpoints.bindrs.tagNode,
  summary: 'Tags a Node of the same project',
  params: tagParams,
  strictNames: ['namespace', 'projectSlug', 'bindrId', 'nodeId'],
  body: none.nullish(),
  response: z.object({ bindrId: z.string(), nodeId: z.string() }),
  errors: ['not_found', 'forbidden'],
});

export const untagNode = defineRoute({
  ...endpoints.bindrs.untagNode,
  summary: 'Removes a tag from a Node',
  params: tagParams,
  strictNames: ['namespace', 'projectSlug', 'bindrId', 'nodeId'],
  errors: ['not_found', 'forbidden'],
});
