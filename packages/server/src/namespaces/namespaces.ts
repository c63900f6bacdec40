import { randomUUID } from 'node:crypto';
import type { Namespace, NamespaceRole } from '@bindery/contract';
import { lockMembership, lockNamespace } from '../access/lock-rights.ts';
import { loadNamespaceForOwner, type NamespaceRow, type VisibleNamespace } from '../access/namespaces.ts';
import {
  type AccountViewer,
  requireAccount,
  requireUnboundToken,
  requireWriteScope,
  tokenAppliesIn,
  type Viewer,
} from '../access/viewer.ts';
import { lockAccount } from '../accounts/accounts.ts';
import { actorOf, recordAudit } from '../audit/audit-log.ts';
import type { Context, DatabaseContext, MaintenanceContext } from '../context.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../database/failures.ts';
import type { Database } from '../database/schema.ts';
import { forbidden, ServiceError } from '../errors.ts';
import { measureNamespace } from '../libraries/quotas/measure.ts';
import { quotaOf } from '../libraries/quotas/quota.ts';

type DescribedColumns = Pick<NamespaceRow, 'slug' | 'display_name' | 'kind' | 'created_at'>;

function describeNamespace(row: DescribedColumns, viewerRole: NamespaceRole | null): Namespace {
  return {
    slug: row.slug,
    displayName: row.display_name,
    kind: row.kind,
    viewerRole,
    createdAt: new Date(row.created_at).toISOString(),
  };
}

/** Returns the namespaces that the viewer is a member of, ordered by slug. */
export async function listNamespaces({ db }: DatabaseContext, viewer: Viewer): Promise<Namespace[]> {
  return namespacesOf(db, requireAccount(viewer));
}

/** Like `listNamespaces`, for an account and the namespace that its token is bound to, if any. */
export async function namespacesOf(
  db: Context['db'],
  viewer: Pick<AccountViewer, 'accountId' | 'boundNamespaceId'>,
): Promise<Namespace[]> {
  const rows = await db
    .selectFrom('namespaces')
    .innerJoin('memberships', 'memberships.namespace_id', 'namespaces.id')
    .selectAll('namespaces')
    .select('memberships.role')
    .where('memberships.account_id', '=', viewer.accountId)
    .where(tokenAppliesIn(viewer, 'namespaces.id'))
    .orderBy('namespaces.slug')
    .execute();
  return rows.map(({ role, ...row }) => describeNamespace(row, role));
}

/** Throws `forbidden` for tokens that cannot create namespaces. */
export function requireNamespaceCreator(viewer: Viewer): AccountViewer {
  const account = requireAccount(viewer);
  requireUnboundToken(account);
  requireWriteScope(account);
  return account;
}

/** Creates a team with the account as its owner. Throws `slug_taken`, and `too_many_namespaces`. */
export async function createNamespace(
  { db, clock, configuration }: MaintenanceContext,
  account: AccountViewer,
  { slug, displayName = slug }: { slug: string; displayName?: string | undefined },
): Promise<Namespace> {
  const row = {
    id: randomUUID(),
    slug,
    display_name: displayName,
    kind: 'team' as const,
    created_at: clock(),
    created_by: account.accountId,
  };
  try {
    await db.transaction().execute(async (trx) => {
      await requireRoomForNamespace(trx, account.accountId, configuration.maxNamespaces);
      await trx.insertInto('namespaces').values(row).execute();
      await trx
        .insertInto('memberships')
        .values({ namespace_id: row.id, account_id: account.accountId, role: 'owner' })
        .execute();
      const line = { action: 'namespace.create', namespace: row } as const;
      await recordAudit(trx, row.created_at, actorOf(account), line);
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new ServiceError('slug_taken', `The slug "${slug}" is taken.`);
    throw error;
  }
  return describeNamespace(row, 'owner');
}

/** Throws `too_many_namespaces` if an account that is no operator has created as many as it may. */
async function requireRoomForNamespace(
  trx: Database,
  accountId: string,
  limit: number | null,
): Promise<void> {
  const account = await lockAccount(trx, accountId);
  if (limit === null || account?.operator === 1) return;
  const { count } = await trx
    .selectFrom('namespaces')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('created_by', '=', accountId)
    .executeTakeFirstOrThrow();
  if (Number(count) < limit) return;
  throw new ServiceError(
    'too_many_namespaces',
    `An account can create ${limit} namespaces. Delete one of yours, or ask an operator to create another for you.`,
    { limit },
  );
}

/** A namespace as addressed by a client. */
export interface NamespaceAddress {
  namespace: string;
}

export async function readNamespace(
  context: MaintenanceContext,
  { row, role }: VisibleNamespace,
): Promise<Namespace> {
  const limits = role === null ? null : quotaOf(row);
  if (limits === null) return describeNamespace(row, role);
  const quota = { limits, used: await measureNamespace(context, row.id) };
  return { ...describeNamespace(row, role), quota };
}

export async function renameNamespace(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  { namespace: slug }: NamespaceAddress,
  { displayName }: { displayName: string },
): Promise<Namespace> {
  return db.transaction().execute(async (trx) => {
    await lockNamespace(trx, slug);
    await lockMembership(trx, viewer, slug);
    const { row, role } = await loadNamespaceForOwner(trx, viewer, slug);
    await trx.updateTable('namespaces').set({ display_name: displayName }).where('id', '=', row.id).execute();
    const line = { action: 'namespace.rename', namespace: row, details: { displayName } } as const;
    await recordAudit(trx, clock(), actorOf(viewer), line);
    return describeNamespace({ ...row, display_name: displayName }, role);
  });
}

/** Deletes a team, which must be empty, including its Trash. */
export async function deleteNamespace(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  { namespace: slug }: NamespaceAddress,
): Promise<void> {
  try {
    await db.transaction().execute(async (trx) => {
      await lockNamespace(trx, slug);
      await lockMembership(trx, viewer, slug);
      const { row } = await loadNamespaceForOwner(trx, viewer, slug);
      if (row.kind === 'personal') throw forbidden('A personal namespace exists as long as its account.');
      // Memberships first: members who are writing have locked theirs and might still need the namespace.
      await trx.deleteFrom('memberships').where('namespace_id', '=', row.id).execute();
      await trx.deleteFrom('namespaces').where('id', '=', row.id).execute();
      const line = { action: 'namespace.delete', namespace: row } as const;
      await recordAudit(trx, clock(), actorOf(viewer), line);
    });
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    throw new ServiceError(
      'namespace_not_empty',
      `The namespace "${slug}" still holds libraries, projects or Notes. Purge and delete those first.`,
    );
  }
}
