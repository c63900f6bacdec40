import { mayWrite, type NamespaceRole } from '@bindery/contract';
import type { Expression, ExpressionBuilder, Selectable, SqlBool } from 'kysely';
import type { Database, Tables } from '../database/schema.ts';
import type { LibrariesTable } from '../database/tables/libraries.ts';
import { forbidden, notFound } from '../errors.ts';
import { lockMembership } from './lock-rights.ts';
import type { Memberships } from './memberships.ts';
import { findMemberNamespace, type NamespaceRow, requestedNamespace, requireWriter } from './namespaces.ts';
import { RELEASED_COLUMNS, type RevisionRow } from './revision-row.ts';
import { type AccountViewer, requireAccount, requireWriteScope, type Viewer } from './viewer.ts';

export type LibraryRow = Selectable<LibrariesTable>;

/** A library as addressed by a client. */
export interface LibraryAddress {
  namespace: string;
  name: string;
}

/** A library as addressed for reading: at its current revision, or at that of a release. */
export interface RevisionAddress extends LibraryAddress {
  release?: string | undefined;
}

/**
 * A library that the viewer can read. `viewerCanManage`: the viewer is a member of its namespace, and not just a
 * reader.
 */
export interface ReadableLibrary {
  row: RevisionRow;
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
 * Resolves a client's namespace, name and release to a library that the viewer can read. Hidden and missing libraries
 * give the same 404 after the same look-ups: what the viewer cannot read is never fetched.
 */
export async function loadLibrary(
  db: Database,
  viewer: Viewer,
  { namespace, name, release }: RevisionAddress,
): Promise<ReadableLibrary> {
  const readable = requestedNamespace(db, viewer, namespace)
    .crossJoin('libraries')
    .select('memberships.role')
    .whereRef('libraries.namespace_id', '=', 'asked.id')
    .where('libraries.name', '=', name)
    .where('libraries.state', '=', 'active')
    .where((eb) =>
      eb.or([
        eb('memberships.role', 'is not', null),
        eb('libraries.visibility', '=', 'public'),
        eb('libraries.share_token', '=', viewer.shareToken ?? ''),
      ]),
    );
  const found =
    release === undefined
      ? await readable.selectAll('libraries').executeTakeFirst()
      : await readable
          .innerJoin('releases', 'releases.store_id', 'libraries.store_id')
          .where('releases.name', '=', release)
          .select(RELEASED_COLUMNS)
          .executeTakeFirst();
  if (!found) throw notFound();
  const { role, ...row } = found;
  return { row, namespace, viewerCanManage: mayWrite(role) };
}

/**
 * Loads the library, in any state, for a change by a member. Throws 401 without a token, 404 if the viewer cannot read
 * it, 403 if the viewer can only read it.
 */
export async function loadLibraryForWrite(
  db: Database,
  viewer: Viewer,
  address: LibraryAddress,
): Promise<ReadableLibrary> {
  const account = requireAccount(viewer);
  const { row, role } = await findForMember(db, account, address);
  if (!row) throw notFound();
  requireWriter(role);
  requireWriteScope(account);
  return { row, namespace: address.namespace, viewerCanManage: true };
}

/** Like `loadLibraryForWrite`, but locks the viewer's membership until the transaction ends. */
export async function lockLibraryForWrite(
  trx: Database,
  viewer: Viewer,
  address: LibraryAddress,
): Promise<ReadableLibrary> {
  await lockMembership(trx, viewer, address.namespace);
  return loadLibraryForWrite(trx, viewer, address);
}

/** What a member publishes to: the library of that name in any state, or null if the name is free. */
export interface PublishTarget {
  namespace: NamespaceRow;
  name: string;
  row: LibraryRow | null;
}

/** Like `loadLibraryForWrite`, for changes that can also create the library. */
export async function loadPublishTarget(
  db: Database,
  viewer: Viewer,
  address: LibraryAddress,
): Promise<PublishTarget> {
  const account = requireAccount(viewer);
  const { role, ...target } = await findForMember(db, account, address);
  requireWriter(role);
  requireWriteScope(account);
  return target;
}

/** Like `loadPublishTarget`, but locks the viewer's membership until the transaction ends. */
export async function lockPublishTarget(
  trx: Database,
  viewer: Viewer,
  address: LibraryAddress,
): Promise<PublishTarget> {
  await lockMembership(trx, viewer, address.namespace);
  return loadPublishTarget(trx, viewer, address);
}

/**
 * Throws 404 if the viewer cannot read the library, 403 for non-members who can. Readers of the namespace count as
 * members here.
 */
async function findForMember(
  db: Database,
  viewer: AccountViewer,
  address: LibraryAddress,
): Promise<PublishTarget & { role: NamespaceRole }> {
  const namespace = await findMemberNamespace(db, viewer, address.namespace);
  if (namespace === null) {
    await loadLibrary(db, viewer, address);
    throw forbidden('Only members of the namespace can change this library.');
  }
  const row = await db
    .selectFrom('libraries')
    .selectAll()
    .where('namespace_id', '=', namespace.row.id)
    .where('name', '=', address.name)
    .executeTakeFirst();
  return { namespace: namespace.row, name: address.name, role: namespace.role, row: row ?? null };
}
