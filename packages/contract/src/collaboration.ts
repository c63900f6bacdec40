import { z } from 'zod';
import { visibility } from './library.ts';
import { pageInfo, pageNumbers, timestamp } from './parameters.ts';

export const projectRole = z.enum(['reader', 'writer', 'admin']);
export type ProjectRole = z.infer<typeof projectRole>;

/** What the viewer may do with a project and with the content in it. */
export const projectPermissions = z.object({
  role: projectRole,
  project: z.object({
    read: z.boolean(),
    update: z.boolean(),
    delete: z.boolean(),
    manageGrants: z.boolean(),
  }),
  content: z.object({ read: z.boolean(), create: z.boolean(), delete: z.boolean() }),
});
export type ProjectPermissions = z.infer<typeof projectPermissions>;

/** A project as the catalog lists it. */
export const projectEntry = z.object({
  id: z.string(),
  slug: z.string(),
  displayName: z.string(),
  permissions: projectPermissions,
});
export type ProjectEntry = z.infer<typeof projectEntry>;

/** `canCreate`: whether the viewer may create a project in the namespace. */
export const projectCatalogPage = z.object({
  projects: z.array(projectEntry),
  ...pageNumbers,
  canCreate: z.boolean(),
});
export type ProjectCatalogPage = z.infer<typeof projectCatalogPage>;

export const project = projectEntry.extend({
  namespace: z.string(),
  description: z.string(),
  visibility,
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Project = z.infer<typeof project>;

export const grant = z.object({ userName: z.string(), role: projectRole });
export type Grant = z.infer<typeof grant>;

/** A tag-like grouping that a project owns. */
export const bindr = z.object({
  id: z.string(),
  name: z.string(),
  parentId: z.string().nullable(),
  projectNodeId: z.string(),
});
export type Bindr = z.infer<typeof bindr>;

/**
 * A page of the Bindrs that a picker can offer inside one project, by name, then id. `ancestors` is present if
 * requested: every ancestor of the page's Bindrs that is not on the page itself, in no particular order.
 */
export const bindrChoicePage = z.object({
  nodes: z.array(bindr),
  pageInfo,
  ancestors: z.array(bindr).optional(),
});
export type BindrChoicePage = z.infer<typeof bindrChoicePage>;

export const projectIdentity = z.object({ id: z.string(), slug: z.string(), displayName: z.string() });
export type ProjectIdentity = z.infer<typeof projectIdentity>;

/** A resource in a project: `path` holds its folders between commas, "," at the root. */
export const node = z.object({
  id: z.string(),
  name: z.string(),
  path: z.string(),
  projectNodeId: z.string(),
  project: projectIdentity,
  bindrs: z.array(bindr),
});
export type Node = z.infer<typeof node>;

/** Where a Note is associated, as far as the viewer can see it. */
export const noteNodes = z.object({ nodes: z.array(node), total: z.int() });
export type NoteNodes = z.infer<typeof noteNodes>;

export const note = z.object({
  id: z.string(),
  namespace: z.string(),
  name: z.string(),
  visibility,
  viewerCanWrite: z.boolean(),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Note = z.infer<typeof note>;

export const notePage = z.object({
  notes: z.array(note),
  ...pageNumbers,
});
export type NotePage = z.infer<typeof notePage>;

/** The association view of older clients: candidate projects, and whether the Note is bound to them. */
export const legacyNoteProjects = z.object({
  projects: z.array(projectIdentity.extend({ bound: z.boolean(), canBind: z.boolean() })),
  total: z.int(),
});
export type LegacyNoteProjects = z.infer<typeof legacyNoteProjects>;

/** The Bindr tree of older clients. */
export interface LegacyBindr {
  id: string;
  name: string;
  parentId: string | null;
  children: LegacyBindr[];
}
export const legacyBindr: z.ZodType<LegacyBindr> = z.lazy(() =>
  z.object({
    id: z.string(),
    name: z.string(),
    parentId: z.string().nullable(),
    children: z.array(legacyBindr),
  }),
);
export const legacyBindrTree = z.object({ bindrs: z.array(legacyBindr) });
export type LegacyBindrTree = z.infer<typeof legacyBindrTree>;
