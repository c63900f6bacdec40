import { type LibraryRow, readableLibraries } from '../access/libraries.ts';
import { type Memberships, membershipsOf } from '../access/namespaces.ts';
import type { Viewer } from '../access/viewer.ts';
import type { DatabaseContext } from '../context.ts';
import { matchesName } from '../database/queries.ts';
import { latestReadable } from '../libraries/read/lists.ts';

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
  const ids =
    namespace === undefined && text === undefined
      ? await latestReadable(db, memberships, { limit, offset })
      : await matchingIds(db, memberships, { namespace, text, offset, limit });
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('libraries')
    .innerJoin('namespaces', 'namespaces.id', 'libraries.namespace_id')
    .selectAll('libraries')
    .select('namespaces.slug')
    .where('libraries.id', 'in', ids)
    .execute();
  const byId = new Map(rows.map(({ slug, ...row }) => [row.id, { row, namespace: slug }]));
  return ids.flatMap((id) => {
    const found = byId.get(id);
    return found?.row.state === 'active' ? [found] : [];
  });
}

/** Rows are wide: only those of the page are read, after the narrow ones were put in order. */
async function matchingIds(
  db: DatabaseContext['db'],
  memberships: Memberships,
  { namespace, text, offset, limit }: LibraryQuery,
): Promise<string[]> {
  const rows = await db
    .selectFrom('libraries')
    .select('libraries.id')
    .where(readableLibraries(memberships))
    .$if(namespace !== undefined, (query) =>
      query.where('libraries.namespace_id', '=', (eb) =>
        eb
          .selectFrom('namespaces')
          .select('namespaces.id')
          .where('slug', '=', namespace ?? ''),
      ),
    )
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
  return rows.map(({ id }) => id);
}
