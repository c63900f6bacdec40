import type { Expression, ExpressionBuilder, Selectable, SqlBool } from 'kysely';
import type { Database, LibrariesTable, Tables } from '../database/schema.ts';
import { forbidden, notFound } from '../errors.ts';
import { holdMembership } from './hold-rights.ts';
import type { Memberships } from './memberships.ts';
import { findNamespace, type NamespaceRow } from './namespaces.ts';
import { type AccountViewer, requireAccount, requireWriteScope, type Viewer } from './viewer.ts';

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

/**
 * Turns a client's namespace and name into a library that it may read; hidden and missing are the same 404, after the
 * same statements: what may not be read is never fetched.
 */
export async function loadLibrary(
  db: Database,
  viewer: Viewer,
  slug: string,
  name: string,
): Promise<ReadableLibrary> {
  const namespace = await findNamespace(db, viewer, slug);
  const viewerCanManage = namespace !== null && namespace.role !== null;
  const named = findLibrary(db, namespace?.row.id ?? '', name).where('libraries.state', '=', 'active');
  const row = await (viewerCanManage ? named : named.where(isOpenTo(viewer))).executeTakeFirst();
  if (!row) throw notFound();
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
  const { row } = await findForMember(db, account, slug, name);
  if (!row) throw notFound();
  requireWriteScope(account);
  return { row, namespace: slug, viewerCanManage: true };
}

/** The same, with the viewer's membership held until the transaction ends. */
export async function holdLibraryForWrite(
  trx: Database,
  viewer: Viewer,
  slug: string,
  name: string,
): Promise<ReadableLibrary> {
  await holdMembership(trx, viewer, slug);
  return loadLibraryForWrite(trx, viewer, slug, name);
}

/** Where a member publishes: the library of that name in whichever state, or null where the name is free. */
export interface PublishTarget {
  namespace: NamespaceRow;
  row: LibraryRow | null;
}

/** As `loadLibraryForWrite`, for what may also make the library. */
export async function loadPublishTarget(
  db: Database,
  viewer: Viewer,
  slug: string,
  name: string,
): Promise<PublishTarget> {
  const account = requireAccount(viewer);
  const target = await findForMember(db, account, slug, name);
  requireWriteScope(account);
  return target;
}

/** The same, with the viewer's membership held until the transaction ends. */
export async function holdPublishTarget(
  trx: Database,
  viewer: Viewer,
  slug: string,
  name: string,
): Promise<PublishTarget> {
  await holdMembership(trx, viewer, slug);
  return loadPublishTarget(trx, viewer, slug, name);
}

/** 404 for strangers, 403 for those who may read the library. */
async function findForMember(
  db: Database,
  viewer: AccountViewer,
  slug: string,
  name: string,
): Promise<PublishTarget> {
  const namespace = await findNamespace(db, viewer, slug);
  if (namespace === null || namespace.role === null) {
    await loadLibrary(db, viewer, slug, name);
    throw forbidden('Only members of the namespace may change this library.');
  }
  const row = await findLibrary(db, namespace.row.id, name).executeTakeFirst();
  return { namespace: namespace.row, row: row ?? null };
}

function findLibrary(db: Database, namespaceId: string, name: string) {
  return db
    .selectFrom('libraries')
    .selectAll('libraries')
    .where('libraries.namespace_id', '=', namespaceId)
    .where('libraries.name', '=', name);
}

/** What opens an active library to somebody who is no member. */
function isOpenTo({ shareToken }: Viewer) {
  return (eb: ExpressionBuilder<Tables, 'libraries'>): Expression<SqlBool> =>
    eb.or([eb('libraries.visibility', '=', 'public'), eb('libraries.share_token', '=', shareToken ?? '')]);
}
