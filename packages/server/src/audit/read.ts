import type { AuditEntry, AuditPage, AuditQuery } from '@bindery/contract';
import type { Selectable } from 'kysely';
import { loadNamespaceForReadingOwner } from '../access/namespaces.ts';
import { loadOperator } from '../access/operators.ts';
import type { Viewer } from '../access/viewer.ts';
import type { DatabaseContext } from '../context.ts';
import { firstSortableId } from '../database/queries.ts';
import type { AuditLogTable, Database } from '../database/schema.ts';

/** Returns a page of a namespace's audit log, for its owners. */
export async function readNamespaceAudit(
  { db }: DatabaseContext,
  viewer: Viewer,
  { namespace }: { namespace: string },
  readQuery: () => Omit<AuditQuery, 'namespace'>,
): Promise<AuditPage> {
  const { row } = await loadNamespaceForReadingOwner(db, viewer, namespace);
  return auditPage(db, readQuery(), row.id);
}

/** Returns a page of the whole audit log, for operators. */
export async function readAudit(
  { db }: DatabaseContext,
  viewer: Viewer,
  readQuery: () => AuditQuery,
): Promise<AuditPage> {
  await loadOperator(db, viewer);
  return auditPage(db, readQuery());
}

/** Returns a page of the log, newest first; `namespaceId` limits it to what the owners of that namespace can read. */
export async function auditPage(
  db: Database,
  { first, after, user, action, namespace, since, until }: AuditQuery,
  namespaceId?: string,
): Promise<AuditPage> {
  let lines = db.selectFrom('audit_log').selectAll();
  if (namespaceId !== undefined) lines = lines.where('namespace_id', '=', namespaceId);
  if (namespace !== undefined) lines = lines.where('namespace', '=', namespace);
  if (user !== undefined) lines = lines.where('actor', '=', user);
  if (action !== undefined) lines = lines.where('action', '=', action);
  if (after !== undefined) lines = lines.where('id', '<', after);
  if (since !== undefined) lines = lines.where('id', '>=', firstSortableId(Date.parse(since)));
  if (until !== undefined) lines = lines.where('id', '<', firstSortableId(Date.parse(until)));
  const found = await lines
    .orderBy('id', 'desc')
    .limit(first + 1)
    .execute();
  const entries = found.slice(0, first);
  return {
    entries: entries.map(describeEntry),
    pageInfo: { endCursor: entries.at(-1)?.id ?? null, hasNextPage: found.length > first },
  };
}

function describeEntry(line: Selectable<AuditLogTable>): AuditEntry {
  const { id, at, action, actor, via, namespace, target, details, address, user_agent: userAgent } = line;
  return {
    id,
    at: new Date(at).toISOString(),
    action,
    actor,
    via,
    namespace,
    target,
    details: JSON.parse(details),
    address,
    userAgent,
  };
}
