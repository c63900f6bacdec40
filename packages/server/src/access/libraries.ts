import type { Expression, ExpressionBuilder, Selectable, SqlBool } from 'kysely';
import type { Database, LibrariesTable, Tables } from '../database/schema.ts';
import { forbidden, notFound } from '../errors.ts';
import type { Memberships } from './memberships.ts';
import { findNamespace } from './namespaces.ts';
import { requireAccount, requireWriteScope, type Viewer } from './viewer.ts';

export type LibraryRow = Selectable<LibrariesTable>;

/** A library that the viewer may read. `viewerCanManage`: the viewer is a member of its namespace. */
export interface ReadableLibrary {
  row: LibraryRow;
  namespace: string;
  viewerCanManage: boolean;
}

/** The list predicate: active libraries that are public or belong to one of the viewer's namespaces. */
export function readableLibraries(memberships: Memberships) {
  return (eb: ExpressionBuilder<Tables, 'libraries'>): Expression<SqlBool> => {
    const own = [...memberships.keys()];
    const open = eb('libraries.visibility', '=', 'public');
    return eb.and([
      eb('libraries.state', '=', 'active'),
      own.length > 0 ? eb.or([open, eb('libraries.namespace_id', 'in', own)]) : open,
    ]);
  };
}

/** Turns a client's namespace and name into a library that it may read; hidden and missing are the same 404. */
export async function loadLibrary(
  db: Database,
  viewer: Viewer,
  slug: string,
  name: string,
): Promise<ReadableLibrary> {
  const namespace = await findNamespace(db, viewer, slug);
  const row = await findLibrary(db, namespace?.row.id ?? '', name);
  if (!namespace || !row || row.state !== 'active') throw notFound();
  const viewerCanManage = namespace.role !== null;
  const readable =
    viewerCanManage ||
    row.visibility === 'public' ||
    (row.share_token !== null && row.share_token === viewer.shareToken);
  if (!readable) throw notFound();
  return { row, namespace: slug, viewerCanManage };
}

/**
 * The library for a change by a member, in whichever state: 401 without a token, 404 for who may not read it,
 * 403 for who may only read it.
 */
export async function loadLibraryForWrite(
  db: Database,
  viewer: Viewer,
  slug: string,
  name: string,
): Promise<ReadableLibrary> {
  const account = requireAccount(viewer);
  const namespace = await findNamespace(db, account, slug);
  const row = await findLibrary(db, namespace?.row.id ?? '', name);
  if (!namespace || !row) throw notFound();
  if (namespace.role === null) {
    const open = row.state === 'active' && row.visibility === 'public';
    throw open ? forbidden('Only members of the namespace may change this library.') : notFound();
  }
  requireWriteScope(account);
  return { row, namespace: slug, viewerCanManage: true };
}

async function findLibrary(db: Database, namespaceId: string, name: string): Promise<LibraryRow | undefined> {
  return db
    .selectFrom('libraries')
    .selectAll()
    .where('namespace_id', '=', namespaceId)
    .where('name', '=', name)
    .executeTakeFirst();
}
