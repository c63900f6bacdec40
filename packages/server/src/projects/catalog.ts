import { mayWrite, type PageQuery, type ProjectCatalogPage } from '@bindery/contract';
import { sql } from 'kysely';
import type { VisibleNamespace } from '../access/namespaces.ts';
import {
  asListedProject,
  type ListedProject,
  readableProjects,
  selectListedProjects,
} from '../access/projects.ts';
import type { Viewer } from '../access/viewer.ts';
import type { DatabaseContext } from '../context.ts';
import { matchesSearch, pageOffset, pageSummary } from '../database/queries.ts';
import type { Database } from '../database/schema.ts';

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
  const { total } = await readableProjects(db, viewer)
    .where('projects.namespace_id', '=', namespaceId)
    .where(matchesSearch('projects.search_text', search))
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}
