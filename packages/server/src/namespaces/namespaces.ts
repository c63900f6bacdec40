import { randomUUID } from 'node:crypto';
import type { Namespace, NamespaceRole } from '@bindery/contract';
import { holdMembership, holdNamespace } from '../access/hold-rights.ts';
import { loadNamespaceForOwner } from '../access/load-namespace.ts';
import type { NamespaceRow } from '../access/namespaces.ts';
import { requireAccount, requireUnboundToken, requireWriteScope, type Viewer } from '../access/viewer.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../database/violations.ts';
import { forbidden, ServiceError } from '../errors.ts';
import type { Parts } from '../parts.ts';

export function describeNamespace(row: NamespaceRow, viewerRole: NamespaceRole | null): Namespace {
  return {
    slug: row.slug,
    displayName: row.display_name,
    kind: row.kind,
    viewerRole,
    createdAt: new Date(row.created_at).toISOString(),
  };
}

/** The namespaces that the viewer is a member of, by slug. */
export async function listNamespaces({ db }: Pick<Parts, 'db'>, viewer: Viewer): Promise<Namespace[]> {
  const { accountId, onlyNamespaceId } = requireAccount(viewer);
  return namespacesOf(db, accountId, onlyNamespaceId);
}

/** The same for an account; of a token that is bound to a namespace that one alone. */
export async function namespacesOf(
  db: Parts['db'],
  accountId: string,
  onlyNamespaceId: string | null = null,
): Promise<Namespace[]> {
  let query = db
    .selectFrom('namespaces')
    .innerJoin('memberships', 'memberships.namespace_id', 'namespaces.id')
    .selectAll('namespaces')
    .select('memberships.role')
    .where('memberships.account_id', '=', accountId);
  if (onlyNamespaceId !== null) query = query.where('namespaces.id', '=', onlyNamespaceId);
  const rows = await query.orderBy('namespaces.slug').execute();
  return rows.map(({ role, ...row }) => describeNamespace(row, role));
}

/** Makes a team with the viewer as its owner. Throws `slug_taken`. */
export async function createNamespace(
  { db, clock }: Pick<Parts, 'db' | 'clock'>,
  viewer: Viewer,
  readInput: () => { slug: string; displayName?: string | undefined },
): Promise<Namespace> {
  const account = requireAccount(viewer);
  requireUnboundToken(account);
  requireWriteScope(account);
  const { slug, displayName = slug } = readInput();
  const row: NamespaceRow = {
    id: randomUUID(),
    slug,
    display_name: displayName,
    kind: 'team',
    created_at: clock(),
  };
  try {
    await db.transaction().execute(async (trx) => {
      await trx.insertInto('namespaces').values(row).execute();
      await trx
        .insertInto('memberships')
        .values({ namespace_id: row.id, account_id: account.accountId, role: 'owner' })
        .execute();
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new ServiceError('slug_taken', `The slug "${slug}" is taken.`);
    throw error;
  }
  return describeNamespace(row, 'owner');
}

export async function renameNamespace(
  { db }: Pick<Parts, 'db'>,
  viewer: Viewer,
  slug: string,
  readInput: () => { displayName: string },
): Promise<Namespace> {
  await loadNamespaceForOwner(db, viewer, slug);
  const { displayName } = readInput();
  return db.transaction().execute(async (trx) => {
    await holdNamespace(trx, slug);
    await holdMembership(trx, viewer, slug);
    const { row, role } = await loadNamespaceForOwner(trx, viewer, slug);
    await trx.updateTable('namespaces').set({ display_name: displayName }).where('id', '=', row.id).execute();
    return describeNamespace({ ...row, display_name: displayName }, role);
  });
}

/** Removes a team that holds nothing any more, not even in its Trash. */
export async function deleteNamespace(
  { db }: Pick<Parts, 'db'>,
  viewer: Viewer,
  slug: string,
): Promise<void> {
  await loadNamespaceForOwner(db, viewer, slug);
  try {
    await db.transaction().execute(async (trx) => {
      await holdNamespace(trx, slug);
      await holdMembership(trx, viewer, slug);
      const { row } = await loadNamespaceForOwner(trx, viewer, slug);
      if (row.kind === 'personal') throw forbidden('A personal namespace stays as long as its account.');
      // First the memberships: members who write hold theirs and may yet need the namespace itself.
      await trx.deleteFrom('memberships').where('namespace_id', '=', row.id).execute();
      await trx.deleteFrom('namespaces').where('id', '=', row.id).execute();
    });
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    throw new ServiceError(
      'namespace_not_empty',
      `The namespace "${slug}" still holds libraries, projects or Notes. Purge and delete those first.`,
    );
  }
}
