import type { AuditPage, AuditQuery } from '@bindery/contract';
import { loadNamespaceForReadingOwner } from '../access/load-namespace.ts';
import { loadOperator } from '../access/operators.ts';
import type { Viewer } from '../access/viewer.ts';
import type { DatabaseContext } from '../context.ts';
import { auditPage } from './audit-page.ts';

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
