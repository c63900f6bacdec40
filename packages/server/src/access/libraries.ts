import { mayWrite, type NamespaceRole } from '@bindery/contract';
import type { Expression, ExpressionBuilder, Selectable, SqlBool } from 'kysely';
import type { Database, Tables } from '../database/schema.ts';
import type { LibrariesTable, RevisionColumns } from '../database/tables/libraries.ts';
import { forbidden, notFound } from '../errors.ts';
import { lockMembership } from './lock-rights.ts';
import {
  findMemberNamespace,
  type Memberships,
  type NamespaceRow,
  requestedNamespace,
  requireWriter,
} from './namespaces.ts';
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

/** The same, or at the revision with a number, or at what an open proposal makes of it. */
export interface NumberedAddress extends RevisionAddress {
  revision?: number | undefined;
  proposal?: number | undefined;
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

/**
 * Loads an active library for its namespace's members, readers too, who may propose changes of it. Throws 401 without a
 * token, 404 if the viewer cannot read it, 403 for others who can, and for read-only tokens with `write`.
 */
export async function loadLibraryForMember(
  db: Database,
  viewer: Viewer,
  address: LibraryAddress,
  { write = false } = {},
): Promise<ReadableLibrary & { row: LibraryRow; target: PublishTarget }> {
  const account = requireAccount(viewer);
  const { role, ...target } = await findForMember(db, account, address);
  const { row } = target;
  if (row?.state !== 'active') throw notFound();
  if (write) requireWriteScope(account);
  return { row, namespace: address.namespace, viewerCanManage: mayWrite(role), target };
}

/** Like `loadLibraryForMember` with `write`, but locks the viewer's membership until the transaction ends. */
export async function lockLibraryForMember(trx: Database, viewer: Viewer, address: LibraryAddress) {
  await lockMembership(trx, viewer, address.namespace);
  return loadLibraryForMember(trx, viewer, address, { write: true });
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

/** A library at its current revision, at that of one of its releases, or at one that was replaced. */
export interface RevisionRow extends Selectable<LibrariesTable> {
  /** The name of the release; absent if the row is the library's own. */
  release?: string;
  /**
   * The revision was replaced, or its release deleted: once its objects are gone, no other revision stands in for it.
   * `undescribed`: that was before there was history, and only the columns of its documents are its own.
   */
  isRetired?: true | 'undescribed';
  /**
   * The object with the differences of a retired revision from the one that replaced it. Its manifest and its index are
   * made of them when they are read.
   */
  differences?: string;
  /** The number of the proposal whose revision it is, made of the one with `revision`. */
  proposal?: number;
}

/** The columns by which the index of a revision is found. */
export type IndexedRow = Pick<
  RevisionRow,
  'id' | 'store_id' | 'revision' | 'index_sha256' | 'release' | 'isRetired' | 'differences' | 'proposal'
>;

/** The columns of a library's row that describe its revision. */
export const REVISION_COLUMNS = [
  'revision',
  'type',
  'title',
  'description',
  'provider',
  'homepage',
  'license',
  'tags',
  'upstream_repo',
  'upstream_commit',
  'asset_count',
  'file_count',
  'total_bytes',
  'categories',
  'kinds',
  'licenses',
  'vectors_dim',
  'vectors_model',
  'cover_sha256',
  'cover_path',
  'manifest_sha256',
  'manifest_size',
  'manifest_layout',
  'index_sha256',
  'codes_sha256',
  'artifacts_sha256',
  'updated_at',
] as const satisfies readonly (keyof RevisionColumns)[];

/** The columns of a row that describe its revision. */
export function revisionColumns(
  row: Pick<LibraryRow, keyof RevisionColumns>,
): Pick<LibraryRow, keyof RevisionColumns> {
  return Object.fromEntries(REVISION_COLUMNS.map((column) => [column, row[column]])) as Pick<
    LibraryRow,
    keyof RevisionColumns
  >;
}

const LIBRARY_COLUMNS = [
  'id',
  'namespace_id',
  'name',
  'store_id',
  'state',
  'changes',
  'visibility',
  'share_token',
  'cover_asset',
  'thumbnails',
  'required_checks',
  'uploads_settled',
  'created_at',
  'deleted_at',
] as const satisfies readonly Exclude<keyof LibrariesTable, keyof RevisionColumns>[];

/** The columns of a `RevisionRow` in a query that joins a library with one of its releases. */
export const RELEASED_COLUMNS = [
  ...LIBRARY_COLUMNS.map((column) => `libraries.${column}` as const),
  ...REVISION_COLUMNS.map((column) => `releases.${column}` as const),
  'releases.name as release' as const,
];

/** Returns a library's row at the revision of each of its open proposals, or of the one with a number. */
export async function proposedRows(
  db: Database,
  library: LibraryRow,
  number?: number,
): Promise<RevisionRow[]> {
  const open = await db
    .selectFrom('proposals')
    .select(['number', 'described'])
    .select(['index_sha256', 'manifest_sha256', 'codes_sha256', 'artifacts_sha256'])
    .where('store_id', '=', library.store_id)
    .where('state', '=', 'open')
    .$if(number !== undefined, (query) => query.where('number', '=', number ?? 0))
    .execute();
  return open.map(({ number, described, ...documents }) => ({
    ...library,
    ...JSON.parse(described ?? '{}'),
    ...documents,
    proposal: number,
  }));
}

/**
 * Reads the row again, in any state; null if the library or the release has been deleted, the proposal decided, or the
 * revision retired.
 */
export async function findRevision(
  db: Database,
  { id, release, isRetired, proposal }: Pick<RevisionRow, 'id' | 'release' | 'isRetired' | 'proposal'>,
): Promise<RevisionRow | null> {
  if (isRetired) return null;
  const library = db.selectFrom('libraries').where('libraries.id', '=', id);
  if (proposal !== undefined) {
    const current = await library.selectAll('libraries').executeTakeFirst();
    return (current && (await proposedRows(db, current, proposal))[0]) ?? null;
  }
  const row =
    release === undefined
      ? await library.selectAll('libraries').executeTakeFirst()
      : await library
          .innerJoin('releases', 'releases.store_id', 'libraries.store_id')
          .where('releases.name', '=', release)
          .select(RELEASED_COLUMNS)
          .executeTakeFirst();
  return row ?? null;
}
