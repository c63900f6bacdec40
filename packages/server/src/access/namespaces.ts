import type { NamespaceRole } from '@bindery/contract';
import type { Selectable } from 'kysely';
import type { Database, NamespacesTable } from '../database/schema.ts';
import type { Viewer } from './viewer.ts';

export type NamespaceRow = Selectable<NamespacesTable>;

/** A namespace together with the role that the viewer has in it, if any. */
export interface SeenNamespace {
  row: NamespaceRow;
  role: NamespaceRole | null;
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
