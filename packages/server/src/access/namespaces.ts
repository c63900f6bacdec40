import { mayWrite, type NamespaceRole } from '@bindery/contract';
import type { Expression, ExpressionBuilder, Selectable, SqlBool } from 'kysely';
import type { Database, Tables } from '../database/schema.ts';
import type { NamespacesTable } from '../database/tables/accounts.ts';
import { forbidden, notFound } from '../errors.ts';
import {
  type AccountViewer,
  accountIdOf,
  requireAccount,
  requireWriteScope,
  tokenAppliesIn,
  type Viewer,
} from './viewer.ts';

export type NamespaceRow = Selectable<NamespacesTable>;

/** A namespace together with the role that the viewer has in it, if any. */
export interface VisibleNamespace {
  row: NamespaceRow;
  role: NamespaceRole | null;
}

/** Throws `forbidden` if the role can only read. */
export function requireWriter(role: NamespaceRole): void {
  if (!mayWrite(role)) throw forbidden('Readers of the namespace cannot change anything in it.');
}

/** A namespace in which the viewer is a member. */
interface MemberNamespace extends VisibleNamespace {
  role: NamespaceRole;
}

/**
 * The single row from which queries of a namespace's contents start: its id and the viewer's membership. A missing
 * namespace also gives a row, with an id that nothing belongs to, so that it takes as many look-ups as a hidden one.
 */
export function requestedNamespace(db: Database, viewer: Viewer, slug: string) {
  const asked = db.selectNoFrom(({ fn, selectFrom, val }) =>
    fn
      .coalesce(selectFrom('namespaces').select('namespaces.id').where('namespaces.slug', '=', slug), val(''))
      .as('id'),
  );
  return db
    .selectFrom(asked.as('asked'))
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.namespace_id', '=', 'asked.id')
        .on('memberships.account_id', '=', accountIdOf(viewer))
        .on(tokenAppliesIn(viewer, 'asked.id')),
    );
}

/** Returns the namespace with that slug if the viewer is a member of it, else null. */
export async function findMemberNamespace(
  db: Database,
  viewer: Viewer,
  slug: string,
): Promise<MemberNamespace | null> {
  const found = await requestedNamespace(db, viewer, slug)
    .innerJoin('namespaces', 'namespaces.id', 'asked.id')
    .selectAll('namespaces')
    .select('memberships.role')
    .where('memberships.role', 'is not', null)
    .$narrowType<{ role: NamespaceRole }>()
    .executeTakeFirst();
  if (!found) return null;
  const { role, ...row } = found;
  return { row, role };
}

/** A namespace of which the viewer is a member, with a token that can write. */
interface OwnNamespace {
  row: NamespaceRow;
  role: NamespaceRole;
  viewer: AccountViewer;
}

/**
 * Loads the namespace for a write by one of its members. Throws 401 without a token, then 404 if the viewer cannot see
 * it, then 403 for non-members, readers and read-only tokens.
 */
export async function loadNamespaceForWrite(
  db: Database,
  viewer: Viewer,
  slug: string,
): Promise<OwnNamespace> {
  const namespace = await loadNamespaceForMember(db, viewer, slug);
  requireWriter(namespace.role);
  return namespace;
}

/**
 * Loads the namespace for a change that readers can make too, such as leaving it. Throws 401 without a token, then 404
 * if the viewer cannot see it, then 403 for non-members and read-only tokens.
 */
export async function loadNamespaceForMember(
  db: Database,
  viewer: Viewer,
  slug: string,
): Promise<OwnNamespace> {
  const account = requireAccount(viewer);
  const { row, role } = await loadNamespace(db, account, slug);
  if (role === null) throw forbidden('Only members of the namespace can do this.');
  requireWriteScope(account);
  return { row, role, viewer: account };
}

/** Loads the namespace for a change that only its owners can make. Throws 401, 404, then 403. */
export async function loadNamespaceForOwner(
  db: Database,
  viewer: Viewer,
  slug: string,
): Promise<OwnNamespace> {
  const namespace = await loadNamespaceForWrite(db, viewer, slug);
  if (namespace.role !== 'owner') throw forbidden('Only owners of the namespace can do this.');
  return namespace;
}

/**
 * Loads the namespace for data that only its owners can read. Throws 401, then 404 if the viewer cannot see it, then
 * 403.
 */
export async function loadNamespaceForReadingOwner(
  db: Database,
  viewer: Viewer,
  slug: string,
): Promise<VisibleNamespace> {
  const namespace = await loadNamespace(db, requireAccount(viewer), slug);
  if (namespace.role !== 'owner') throw forbidden('Only owners of the namespace can read this.');
  return namespace;
}

/**
 * Loads the namespace for a read: members always see it, others only if they can read something in it. Takes a single
 * statement of index look-ups, the same number for a hidden namespace as for a missing one; its cost does not depend on
 * how much is hidden.
 */
export async function loadNamespace(db: Database, viewer: Viewer, slug: string): Promise<VisibleNamespace> {
  const found = await requestedNamespace(db, viewer, slug)
    .innerJoin('namespaces', 'namespaces.id', 'asked.id')
    .selectAll('namespaces')
    .select('memberships.role')
    .where((eb) => eb.or([eb('memberships.role', 'is not', null), ...visibilityConditions(eb, viewer)]))
    .executeTakeFirst();
  if (!found) throw notFound();
  const { role, ...row } = found;
  return { row, role };
}

type Asked = Tables & { asked: { id: string } };

/**
 * What makes a namespace visible to non-members: something public in it, or a grant in one of its projects.
 */
function visibilityConditions(eb: ExpressionBuilder<Asked, 'asked'>, viewer: Viewer): Expression<SqlBool>[] {
  const one = eb.lit(1).as('one');
  return [
    eb.exists(
      eb
        .selectFrom('libraries')
        .select(one)
        .whereRef('libraries.namespace_id', '=', 'asked.id')
        .where('libraries.visibility', '=', 'public')
        .where('libraries.state', '=', 'active'),
    ),
    eb.exists(
      eb
        .selectFrom('projects')
        .select(one)
        .whereRef('projects.namespace_id', '=', 'asked.id')
        .where('projects.visibility', '=', 'public'),
    ),
    eb.exists(
      eb
        .selectFrom('notes')
        .select(one)
        .whereRef('notes.namespace_id', '=', 'asked.id')
        .where('notes.visibility', '=', 'public'),
    ),
    ...(viewer.kind === 'account' ? [hasGrant(eb, viewer)] : []),
  ];
}

/** Starts from the viewer's grants rather than from the namespace's projects, of which there can be many. */
function hasGrant(eb: ExpressionBuilder<Asked, 'asked'>, viewer: AccountViewer): Expression<SqlBool> {
  const granted = eb
    .selectFrom('project_grants')
    .select(eb.lit(1).as('one'))
    .where('project_grants.account_id', '=', viewer.accountId)
    .where(tokenAppliesIn(viewer, 'asked.id'))
    .where(
      ({ selectFrom }) =>
        selectFrom('projects')
          .select('projects.namespace_id')
          .whereRef('projects.id', '=', 'project_grants.project_id'),
      '=',
      eb.ref('asked.id'),
    );
  return eb.exists(granted);
}

/** Namespace ids with the viewer's role in each. A token bound to a namespace sees only that one. */
export type Memberships = ReadonlyMap<string, NamespaceRole>;

/** The memberships of someone who has none. */
export const NO_MEMBERSHIPS: Memberships = new Map();

export async function membershipsOf(db: Database, viewer: Viewer): Promise<Memberships> {
  if (viewer.kind === 'anonymous') return NO_MEMBERSHIPS;
  const rows = await db
    .selectFrom('memberships')
    .select(['namespace_id', 'role'])
    .where('account_id', '=', viewer.accountId)
    .where(tokenAppliesIn(viewer, 'memberships.namespace_id'))
    .execute();
  return new Map(rows.map((row) => [row.namespace_id, row.role]));
}
