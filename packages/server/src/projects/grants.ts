import type { Grant, ProjectRole } from '@bindery/contract';
import { lockProjectFor, type ProjectAddress, type ReadableProject } from '../access/projects.ts';
import type { Viewer } from '../access/viewer.ts';
import { actorOf, recordAudit } from '../audit/audit-log.ts';
import type { DatabaseContext } from '../context.ts';
import { notFound } from '../errors.ts';

/** A grant as addressed by a client. */
interface GrantAddress extends ProjectAddress {
  userName: string;
}

/** Returns the direct grants of a project, ordered by user name. */
export async function listGrants({ db }: DatabaseContext, { row }: ReadableProject): Promise<Grant[]> {
  return db
    .selectFrom('project_grants')
    .innerJoin('accounts', 'accounts.id', 'project_grants.account_id')
    .select(['accounts.user_name as userName', 'project_grants.role'])
    .where('project_grants.project_id', '=', row.id)
    .orderBy('accounts.user_name')
    .execute();
}

/** Grants a role in a project, replacing an earlier grant (admins). Throws 404 for an unknown user name. */
export async function putGrant(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  { userName, ...project }: GrantAddress,
  { role }: { role: ProjectRole },
): Promise<Grant> {
  return db.transaction().execute(async (trx) => {
    const { row } = await lockProjectFor('manageGrants', trx, viewer, project);
    const account = await trx
      .selectFrom('accounts')
      .select('id')
      .where('user_name', '=', userName)
      .executeTakeFirst();
    if (!account) throw notFound();
    await trx
      .insertInto('project_grants')
      .values({ project_id: row.id, account_id: account.id, role })
      .onConflict((conflict) => conflict.columns(['project_id', 'account_id']).doUpdateSet({ role }))
      .execute();
    await recordAudit(trx, clock(), actorOf(viewer), {
      action: 'grant.set',
      namespace: { id: row.namespace_id, slug: project.namespace },
      target: `${project.projectSlug}/${userName}`,
      details: { role },
    });
    return { userName, role };
  });
}

/** Removes a direct grant, if there is one (admins). */
export async function removeGrant(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  { userName, ...project }: GrantAddress,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { row } = await lockProjectFor('manageGrants', trx, viewer, project);
    const { numDeletedRows } = await trx
      .deleteFrom('project_grants')
      .where('project_id', '=', row.id)
      .where('account_id', 'in', (eb) =>
        eb.selectFrom('accounts').select('accounts.id').where('user_name', '=', userName),
      )
      .executeTakeFirst();
    if (numDeletedRows === 0n) return;
    await recordAudit(trx, clock(), actorOf(viewer), {
      action: 'grant.remove',
      namespace: { id: row.namespace_id, slug: project.namespace },
      target: `${project.projectSlug}/${userName}`,
    });
  });
}
