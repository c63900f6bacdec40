import type { Database } from '../database/schema.ts';
import type { Viewer } from './viewer.ts';

/*
 * A right that was asked for may be taken away before the change is made. So a transaction first holds the rows that
 * give the viewer its rights, then asks, then changes: who takes a right away waits for it, or comes first. (An update
 * that changes nothing locks rows on PostgreSQL; on SQLite a write transaction is alone anyway.)
 *
 * Rows are held in this order, so that no two wait for each other: namespace, memberships, project, Note, grants.
 */

/** Holds the viewer's membership of the namespace until the transaction ends. */
export async function holdMembership(trx: Database, viewer: Viewer, slug: string): Promise<void> {
  if (viewer.kind !== 'account') return;
  await trx
    .updateTable('memberships')
    .set((eb) => ({ role: eb.ref('role') }))
    .where('account_id', '=', viewer.accountId)
    .where('namespace_id', 'in', (eb) =>
      eb.selectFrom('namespaces').select('namespaces.id').where('slug', '=', slug),
    )
    .execute();
}

/**
 * Holds the viewer's grants in the namespace's projects until the transaction ends. Goes through the viewer's grants: how
 * many projects the namespace has is no matter for who may not see them.
 */
export async function holdGrants(trx: Database, viewer: Viewer, slug: string): Promise<void> {
  if (viewer.kind !== 'account') return;
  await trx
    .updateTable('project_grants')
    .set((eb) => ({ role: eb.ref('role') }))
    .where('account_id', '=', viewer.accountId)
    .where(
      (eb) =>
        eb
          .selectFrom('projects')
          .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
          .select('namespaces.slug')
          .whereRef('projects.id', '=', 'project_grants.project_id'),
      '=',
      slug,
    )
    .execute();
}

/** Holds the namespace until the transaction ends: its memberships change one after another. */
export async function holdNamespace(trx: Database, slug: string): Promise<void> {
  await trx
    .updateTable('namespaces')
    .set((eb) => ({ display_name: eb.ref('display_name') }))
    .where('slug', '=', slug)
    .execute();
}
