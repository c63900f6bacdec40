import type { NamespaceRole } from '@bindery/contract';
import type { Selectable } from 'kysely';
import type { Database, NamespacesTable } from '../database/schema.ts';
import { forbidden, notFound } from '../errors.ts';
import { type AccountViewer, requireAccount, requireWriteScope, type Viewer } from './viewer.ts';

export type NamespaceRow = Selectable<NamespacesTable>;

/** A namespace together with the role that the viewer has in it, if any. */
export interface SeenNamespace {
  row: NamespaceRow;
  role: NamespaceRole | null;
}

/** A namespace in which the caller is a member with the right to write. */
export interface OwnNamespace {
  row: NamespaceRow;
  role: NamespaceRole;
  viewer: AccountViewer;
}

/** Finds a namespace and the viewer's role in one statement; whether it may be shown is not decided here. */
export async function findNamespace(
  db: Database,
  viewer: Viewer,
  slug: string,
): Promise<SeenNamespace | null> {
  const accountId = viewer.kind === 'account' ? viewer.accountId : '';
  const found = await db
    .selectFrom('namespaces')
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.namespace_id', '=', 'namespaces.id')
        .on('memberships.account_id', '=', accountId),
    )
    .selectAll('namespaces')
    .select('memberships.role')
    .where('namespaces.slug', '=', slug)
    .executeTakeFirst();
  if (!found) return null;
  const { role, ...row } = found;
  const bound = viewer.kind === 'account' ? viewer.onlyNamespaceId : null;
  return { row, role: bound === null || bound === row.id ? role : null };
}

/** The namespace for a write by one of its members: 401, then 404 for strangers, then 403 for a read token. */
export async function loadNamespaceForWrite(
  db: Database,
  viewer: Viewer,
  slug: string,
): Promise<OwnNamespace> {
  const account = requireAccount(viewer);
  const found = await findNamespace(db, account, slug);
  if (!found) throw notFound();
  const { row, role } = found;
  if (role === null) throw (await isNamespaceVisible(db, row.id)) ? notAMember() : notFound();
  requireWriteScope(account);
  return { row, role, viewer: account };
}

/** A namespace shows itself to strangers as soon as they may read anything in it. */
export async function isNamespaceVisible(db: Database, namespaceId: string): Promise<boolean> {
  const open = await db
    .selectFrom('libraries')
    .select('id')
    .where('namespace_id', '=', namespaceId)
    .where('state', '=', 'active')
    .where('visibility', '=', 'public')
    .limit(1)
    .executeTakeFirst();
  return open !== undefined;
}

function notAMember() {
  return forbidden('Only members of the namespace may do this.');
}
