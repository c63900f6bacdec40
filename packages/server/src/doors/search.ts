import { type LibraryRow, readableLibraries } from '../access/libraries.ts';
import { membershipsOf } from '../access/namespaces.ts';
import type { Viewer } from '../access/viewer.ts';
import type { DatabaseContext } from '../context.ts';
import { matchesName } from '../database/queries.ts';

export interface LibraryQuery {
  /** The slug of a namespace. */
  namespace?: string | undefined;
  /** A part of the library's name or title, in any letter case. */
  text?: string | undefined;
  offset: number;
  limit: number;
}

/** Returns a page of the libraries that the viewer may list, the most recently updated first. */
export async function searchLibraries(
  { db }: DatabaseContext,
  viewer: Viewer,
  { namespace, text, offset, limit }: LibraryQuery,
): Promise<{ row: LibraryRow; namespace: string }[]> {
  const memberships = await membershipsOf(db, viewer);
  // Rows are wide: only those of the page are read, after the narrow ones were put in order.
  const found = await db
    .selectFrom('libraries')
    .innerJoin('namespaces', 'namespaces.id', 'libraries.namespace_id')
    .select(['libraries.id', 'namespaces.slug'])
    .where(readableLibraries(memberships))
    .$if(namespace !== undefined, (query) => query.where('namespaces.slug', '=', namespace ?? ''))
    .$if(text !== undefined, (query) =>
      query.where((eb) =>
        eb.or([matchesName('libraries.name', text ?? ''), matchesName('libraries.title', text ?? '')]),
      ),
    )
    .orderBy('libraries.updated_at', 'desc')
    .orderBy('libraries.id')
    .offset(offset)
    .limit(limit)
    .execute();
  if (found.length === 0) return [];
  const rows = await db
    .selectFrom('libraries')
    .selectAll()
    .where(
      'id',
      'in',
      found.map(({ id }) => id),
    )
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return found.flatMap(({ id, slug }) => {
    const row = byId.get(id);
    return row?.state === 'active' ? [{ row, namespace: slug }] : [];
  });
}
