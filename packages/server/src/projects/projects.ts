import { randomUUID } from 'node:crypto';
import {
  type BodyOf,
  mayWrite,
  type PageQuery,
  type Project,
  type ProjectCatalogPage,
  type ProjectEntry,
  type routes,
} from '@bindery/contract';
import { sql } from 'kysely';
import { lockMembership } from '../access/lock-rights.ts';
import { loadNamespaceForWrite, type VisibleNamespace } from '../access/namespaces.ts';
import {
  asListedProject,
  type ListedProject,
  loadProject,
  lockProjectFor,
  type ProjectAddress,
  permissionsOf,
  type ReadableProject,
  readableProjects,
  selectListedProjects,
} from '../access/projects.ts';
import type { Viewer } from '../access/viewer.ts';
import { actorOf, recordAudit } from '../audit/audit-log.ts';
import type { DatabaseContext } from '../context.ts';
import {
  countRows,
  matchesPrefix,
  matchesSearch,
  pageOffset,
  pageSummary,
  searchText,
} from '../database/queries.ts';
import type { Database } from '../database/schema.ts';
import { ServiceError } from '../errors.ts';

export function describeProjectEntry({ row, role }: ListedProject): ProjectEntry {
  return { id: row.id, slug: row.slug, displayName: row.display_name, permissions: permissionsOf(role) };
}

export function describeProject(project: ReadableProject): Project {
  const { row, namespace } = project;
  return {
    ...describeProjectEntry(project),
    namespace,
    description: row.description,
    visibility: row.visibility,
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  };
}

/** Creates a project in a namespace of which the viewer is a member; its creator becomes its admin. */
export async function createProject(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  { namespace: namespaceSlug }: { namespace: string },
  input: BodyOf<typeof routes.projects.createProject>,
): Promise<Project> {
  return db.transaction().execute(async (trx) => {
    await lockMembership(trx, viewer, namespaceSlug);
    const namespace = await loadNamespaceForWrite(trx, viewer, namespaceSlug);
    const { displayName, slug: asked, description = '', visibility = 'private' } = input;
    const slug =
      asked ?? freeSlug(slugOf(displayName), await slugsLike(trx, namespace.row.id, slugOf(displayName)));
    const id = randomUUID();
    const now = clock();
    const made = await trx
      .insertInto('projects')
      .values({
        id,
        namespace_id: namespace.row.id,
        slug,
        display_name: displayName,
        search_text: searchText(displayName, slug),
        description,
        visibility,
        created_at: now,
        updated_at: now,
      })
      .onConflict((conflict) => conflict.columns(['namespace_id', 'slug']).doNothing())
      .executeTakeFirst();
    if (!made.numInsertedOrUpdatedRows) {
      throw new ServiceError(
        'slug_taken',
        `The namespace already has a project "${slug}". Choose another slug.`,
      );
    }
    await trx
      .insertInto('project_grants')
      .values({ project_id: id, account_id: namespace.viewer.accountId, role: 'admin' })
      .execute();
    await recordAudit(trx, now, actorOf(viewer), {
      action: 'project.create',
      namespace: namespace.row,
      target: slug,
      details: { visibility },
    });
    return describeProject(await loadProject(trx, viewer, { namespace: namespaceSlug, projectSlug: slug }));
  });
}

async function slugsLike(trx: Database, namespaceId: string, base: string): Promise<Set<string>> {
  const rows = await trx
    .selectFrom('projects')
    .select('slug')
    .where('namespace_id', '=', namespaceId)
    .where(matchesPrefix('slug', base))
    .execute();
  return new Set(rows.map(({ slug }) => slug));
}

/** Changes the given fields and leaves the others as they are (admins). */
export async function changeProject(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  address: ProjectAddress,
  changes: BodyOf<typeof routes.projects.patchProject>,
): Promise<Project> {
  return db.transaction().execute(async (trx) => {
    const { row } = await lockProjectFor('update', trx, viewer, address);
    const {
      displayName = row.display_name,
      description = row.description,
      visibility = row.visibility,
    } = changes;
    await trx
      .updateTable('projects')
      .set({
        display_name: displayName,
        search_text: searchText(displayName, row.slug),
        description,
        visibility,
        updated_at: clock(),
      })
      .where('id', '=', row.id)
      .execute();
    await recordAudit(trx, clock(), actorOf(viewer), {
      action: 'project.change',
      namespace: { id: row.namespace_id, slug: address.namespace },
      target: row.slug,
      details: { visibility },
    });
    return describeProject(await loadProject(trx, viewer, address));
  });
}

/** Deletes a project with its Nodes, Bindrs and grants; the Notes stay (admins). */
export async function deleteProject(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  address: ProjectAddress,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { row } = await lockProjectFor('delete', trx, viewer, address);
    // Grants first: writers of Notes have locked theirs and might still need the project.
    await trx.deleteFrom('project_grants').where('project_id', '=', row.id).execute();
    await trx.deleteFrom('projects').where('id', '=', row.id).execute();
    await recordAudit(trx, clock(), actorOf(viewer), {
      action: 'project.delete',
      namespace: { id: row.namespace_id, slug: address.namespace },
      target: row.slug,
    });
  });
}

const MAX_SLUG = 64;

/** Derives a slug from a display name: ASCII letters and digits joined by dashes; "project" if none is left. */
function slugOf(displayName: string): string {
  const ascii = displayName
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, MAX_SLUG - 6)
    .replace(/-+$/, '');
  return ascii || 'project';
}

/** Returns the first of `base`, `base-2`, `base-3`, … that is not taken. */
function freeSlug(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base;
  let number = 2;
  while (taken.has(`${base}-${number}`)) number++;
  return `${base}-${number}`;
}

/** A page of the catalog before a view formats it. */
type CatalogPage = Omit<ProjectCatalogPage, 'projects'> & { projects: ListedProject[] };

/** Returns a page of the projects of a namespace that the viewer can read, ordered by display name, then id. */
export async function projectCatalog(
  { db }: DatabaseContext,
  viewer: Viewer,
  { row: namespace, role }: VisibleNamespace,
  { search, ...page }: PageQuery,
): Promise<CatalogPage> {
  const listed = await selectListedProjects(db, viewer)
    .where('projects.namespace_id', '=', namespace.id)
    .where(matchesSearch('projects.search_text', search))
    .select(sql<number>`count(*) over ()`.as('total'))
    .orderBy('projects.display_name')
    .orderBy('projects.id')
    .limit(page.pageSize)
    .offset(pageOffset(page))
    .execute();
  const total =
    listed[0]?.total ?? (page.page === 1 ? 0 : await countProjects(db, viewer, namespace.id, search));
  return {
    projects: listed.map(asListedProject),
    ...pageSummary(page, total),
    canCreate: mayWrite(role),
  };
}

/** Counts the projects for a page past the last one, which has no rows that could carry the total. */
async function countProjects(
  db: Database,
  viewer: Viewer,
  namespaceId: string,
  search: string,
): Promise<number> {
  return countRows(
    readableProjects(db, viewer)
      .where('projects.namespace_id', '=', namespaceId)
      .where(matchesSearch('projects.search_text', search)),
  );
}
