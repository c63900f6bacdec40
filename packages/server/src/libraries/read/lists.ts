import { type LibraryRow, readableLibraries } from '../../access/libraries.ts';
import { loadNamespace } from '../../access/load-namespace.ts';
import { membershipsOf, NO_MEMBERSHIPS } from '../../access/memberships.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { Parts } from '../../parts.ts';

/** A library of a list, with the slug of its namespace. */
export interface ListedLibrary {
  row: LibraryRow;
  namespace: string;
}

/** The public libraries and those of the viewer's namespaces, the most recently updated first. */
export async function listAllLibraries(
  { db }: Pick<Parts, 'db'>,
  viewer: Viewer,
  limit: number,
): Promise<ListedLibrary[]> {
  const memberships = await membershipsOf(db, viewer);
  const rows = await db
    .selectFrom('libraries')
    .innerJoin('namespaces', 'namespaces.id', 'libraries.namespace_id')
    .selectAll('libraries')
    .select('namespaces.slug')
    .where(readableLibraries(memberships))
    .orderBy('libraries.updated_at', 'desc')
    .orderBy('libraries.id')
    .limit(limit)
    .execute();
  return rows.map(({ slug, ...row }) => ({ row, namespace: slug }));
}

export interface NamespaceLibraries {
  viewerIsMember: boolean;
  libraries: ListedLibrary[];
}

/** The libraries of a namespace that the viewer may read, the most recently updated first. */
export async function listLibraries(
  { db }: Pick<Parts, 'db'>,
  viewer: Viewer,
  slug: string,
  readQuery: () => { deleted: 'true' | 'false' },
): Promise<NamespaceLibraries> {
  const { row: namespace, role } = await loadNamespace(db, viewer, slug);
  const viewerIsMember = role !== null;
  const deleted = readQuery().deleted === 'true';
  if (deleted && !viewerIsMember) return { viewerIsMember, libraries: [] };
  const base = db.selectFrom('libraries').selectAll('libraries').where('namespace_id', '=', namespace.id);
  const rows = await (deleted
    ? base.where('state', '=', 'deleted').orderBy('deleted_at', 'desc').orderBy('id')
    : base
        .where(readableLibraries(role === null ? NO_MEMBERSHIPS : new Map([[namespace.id, role]])))
        .orderBy('updated_at', 'desc')
        .orderBy('id')
  ).execute();
  return { viewerIsMember, libraries: rows.map((row) => ({ row, namespace: slug })) };
}
