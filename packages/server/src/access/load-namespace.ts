import type { NamespaceRole } from '@bindery/contract';
import type { Database } from '../database/schema.ts';
import { forbidden, notFound } from '../errors.ts';
import { findNamespace, type NamespaceRow, type SeenNamespace } from './namespaces.ts';
import { type AccountViewer, requireAccount, requireWriteScope, type Viewer } from './viewer.ts';

/** A namespace in which the caller is a member with the right to write. */
export interface OwnNamespace {
  row: NamespaceRow;
  role: NamespaceRole;
  viewer: AccountViewer;
}

/** The namespace for a write by one of its members: 401, then 404 for strangers, then 403 for a read token. */
export async function loadNamespaceForWrite(
  db: Database,
  viewer: Viewer,
  slug: string,
): Promise<OwnNamespace> {
  const account = requireAccount(viewer);
  const { row, role } = await loadNamespace(db, account, slug);
  if (role === null) throw forbidden('Only members of the namespace may do this.');
  requireWriteScope(account);
  return { row, role, viewer: account };
}

/** The namespace for a change that is its owners' alone: 401, 404, then 403. */
export async function loadNamespaceForOwner(
  db: Database,
  viewer: Viewer,
  slug: string,
): Promise<OwnNamespace> {
  const namespace = await loadNamespaceForWrite(db, viewer, slug);
  if (namespace.role !== 'owner') throw forbidden('Only owners of the namespace may do this.');
  return namespace;
}

/** No namespace has this id. */
const NO_NAMESPACE = '';

/**
 * The namespace for a read: members see it always, others as soon as they may read anything in it. A hidden and a
 * missing one take the same statements, so that the time of the answer does not tell them apart.
 */
export async function loadNamespace(db: Database, viewer: Viewer, slug: string): Promise<SeenNamespace> {
  const found = await findNamespace(db, viewer, slug);
  if (found && found.role !== null) return found;
  const visible = await showsSomething(db, viewer, found?.row.id ?? NO_NAMESPACE);
  if (!found || !visible) throw notFound();
  return found;
}

/**
 * Whether somebody who is no member may read anything in the namespace: what is public, or what a grant in one of its
 * projects opens. Every part is a look-up in an index, and takes as long however much there is that stays hidden.
 */
async function showsSomething(db: Database, viewer: Viewer, namespaceId: string): Promise<boolean> {
  const { visible } = await db
    .selectNoFrom((eb) =>
      eb
        .or([
          eb.exists(
            eb
              .selectFrom('libraries')
              .select('libraries.id')
              .where('libraries.namespace_id', '=', namespaceId)
              .where('libraries.visibility', '=', 'public')
              .where('libraries.state', '=', 'active'),
          ),
          eb.exists(
            eb
              .selectFrom('projects')
              .select('projects.id')
              .where('projects.namespace_id', '=', namespaceId)
              .where('projects.visibility', '=', 'public'),
          ),
          eb.exists(
            eb
              .selectFrom('notes')
              .select('notes.id')
              .where('notes.namespace_id', '=', namespaceId)
              .where('notes.visibility', '=', 'public'),
          ),
          eb.exists(
            eb
              .selectFrom('project_grants')
              .innerJoin('projects', 'projects.id', 'project_grants.project_id')
              .select('projects.id')
              .where('project_grants.account_id', '=', grantee(viewer, namespaceId))
              .where('projects.namespace_id', '=', namespaceId),
          ),
        ])
        .as('visible'),
    )
    .executeTakeFirstOrThrow();
  return Boolean(visible);
}

/** Whose grants count: nobody's where a token is bound to another namespace. */
function grantee(viewer: Viewer, namespaceId: string): string {
  if (viewer.kind === 'anonymous') return '';
  const { accountId, onlyNamespaceId } = viewer;
  return onlyNamespaceId === null || onlyNamespaceId === namespaceId ? accountId : '';
}
