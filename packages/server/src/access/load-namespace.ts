import type { NamespaceRole } from '@bindery/contract';
import type { Database } from '../database/schema.ts';
import { forbidden, notFound } from '../errors.ts';
import { readableLibraries } from './libraries.ts';
import { NO_MEMBERSHIPS } from './memberships.ts';
import { findNamespace, type NamespaceRow, type SeenNamespace } from './namespaces.ts';
import { readableNotes } from './notes.ts';
import { readableProjects } from './projects.ts';
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
  const found = await findNamespace(db, account, slug);
  if (!found) throw notFound();
  const { row, role } = found;
  if (role === null) throw (await isNamespaceVisible(db, account, row.id)) ? notAMember() : notFound();
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

/** The namespace for a read: members see it always, others as soon as they may read anything in it. */
export async function loadNamespace(db: Database, viewer: Viewer, slug: string): Promise<SeenNamespace> {
  const found = await findNamespace(db, viewer, slug);
  if (!found) throw notFound();
  if (found.role === null && !(await isNamespaceVisible(db, viewer, found.row.id))) throw notFound();
  return found;
}

/** Whether somebody who is no member may read anything in the namespace: a library, a project or a Note. */
export async function isNamespaceVisible(
  db: Database,
  viewer: Viewer,
  namespaceId: string,
): Promise<boolean> {
  const probes: { execute(): Promise<unknown[]> }[] = [
    db
      .selectFrom('libraries')
      .select('libraries.id')
      .where('libraries.namespace_id', '=', namespaceId)
      .where(readableLibraries(NO_MEMBERSHIPS))
      .limit(1),
    readableProjects(db, viewer)
      .select('projects.id')
      .where('projects.namespace_id', '=', namespaceId)
      .limit(1),
    readableNotes(db, viewer).select('notes.id').where('notes.namespace_id', '=', namespaceId).limit(1),
  ];
  for (const probe of probes) {
    if ((await probe.execute()).length > 0) return true;
  }
  return false;
}

function notAMember() {
  return forbidden('Only members of the namespace may do this.');
}
