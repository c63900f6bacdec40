import type { Database } from '../database/schema.ts';
import type { Viewer } from './viewer.ts';

/*
 * A right can be revoked between its check and the change that it permits. So a transaction first locks the rows that
 * give the viewer its rights, then checks them, then makes the change: a concurrent revocation either waits for it or
 * comes first. (An update that changes nothing locks rows on PostgreSQL; SQLite runs one write transaction at a time
 * anyway.)
 *
 * Rows are locked in this order, to avoid deadlocks: namespace, memberships, project, Note, grants.
 */

/** Locks the viewer's membership of the namespace until the transaction ends. */
export async function lockMembership(trx: Database, viewer: Viewer, slug: string): Promise<void> {
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
 * Locks the viewer's grants in the namespace's projects until the transaction ends. Starts from the viewer's grants, so
 * that its cost does not depend on how many projects the namespace has, which the viewer might not be allowed to see.
 */
export async function lockGrants(trx: Database, viewer: Viewer, slug: string): Promise<void> {
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

/** Locks the namespace until the transaction ends, which serialises changes to its memberships. */
export async function lockNamespace(trx: Database, slug: string): Promise<void> {
  await trx
    .updateTable('namespaces')
    .set((eb) => ({ display_name: eb.ref('display_name') }))
    .where('slug', '=', slug)
    .execute();
}
