import { mayWrite, type PageQuery, type ProjectCatalogPage } from '@bindery/contract';
import { loadNamespace } from '../access/load-namespace.ts';
import {
  asReadableProject,
  type ReadableProject,
  readableProjects,
  selectReadableProjects,
} from '../access/projects.ts';
import type { Viewer } from '../access/viewer.ts';
import { pageOffset, pageSummary } from '../database/page.ts';
import { matchesSearch } from '../database/search-text.ts';
import type { Parts } from '../parts.ts';

/** A page of the catalog before a view shapes it. */
export type CatalogPage = Omit<ProjectCatalogPage, 'projects'> & { projects: ReadableProject[] };

/** The projects of a namespace that the viewer may read, by display name, then id; a page of them. */
export async function projectCatalog(
  { db }: Pick<Parts, 'db'>,
  viewer: Viewer,
  { namespace: namespaceSlug }: { namespace: string },
  input: () => PageQuery,
): Promise<CatalogPage> {
  const { row: namespace, role } = await loadNamespace(db, viewer, namespaceSlug);
  const { search, ...page } = input();
  const matches = matchesSearch('projects.search_text', search);

  const { total } = await readableProjects(db, viewer)
    .where('projects.namespace_id', '=', namespace.id)
    .where(matches)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const selected = await selectReadableProjects(db, viewer)
    .where('projects.namespace_id', '=', namespace.id)
    .where(matches)
    .orderBy('projects.display_name')
    .orderBy('projects.id')
    .limit(page.pageSize)
    .offset(pageOffset(page))
    .execute();

  return {
    projects: selected.map(asReadableProject),
    ...pageSummary(page, Number(total)),
    canCreate: mayWrite(role),
  };
}
