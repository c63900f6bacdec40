import type { Membership, NamespaceRole } from '@bindery/contract';
import { lockMembership, lockNamespace } from '../access/lock-rights.ts';
import {
  loadNamespace,
  loadNamespaceForMember,
  loadNamespaceForOwner,
  type NamespaceRow,
  type VisibleNamespace,
} from '../access/namespaces.ts';
import { requireAccount, type Viewer } from '../access/viewer.ts';
import { actorOf, recordAudit } from '../audit/audit-log.ts';
import type { DatabaseContext } from '../context.ts';
import type { Database } from '../database/schema.ts';
import { forbidden, ServiceError } from '../errors.ts';
import type { NamespaceAddress } from './namespaces.ts';

/** A member of a namespace as addressed by a client. */
interface MemberAddress extends NamespaceAddress {
  userName: string;
}

/** Loads the namespace for a member. Throws 401, then 404 if the viewer cannot see it, then 403. */
export async function loadForMember(db: Database, viewer: Viewer, slug: string): Promise<VisibleNamespace> {
  const namespace = await loadNamespace(db, requireAccount(viewer), slug);
  if (namespace.role === null) throw forbidden('Only members of the namespace can see this.');
  return namespace;
}

export function listMembers({ db }: DatabaseContext, { row }: VisibleNamespace): Promise<Membership[]> {
  return membershipsIn(db, row.id);
}

/** Returns the members of a namespace, ordered by name. */
export function membershipsIn(db: Database, namespaceId: string): Promise<Membership[]> {
  return db
    .selectFrom('memberships')
    .innerJoin('accounts', 'accounts.id', 'memberships.account_id')
    .select(['accounts.user_name as userName', 'memberships.role'])
    .where('memberships.namespace_id', '=', namespaceId)
    .orderBy('accounts.user_name')
    .execute();
}

/** Adds a member or changes the role. Throws 404 if the account does not exist, and `last_owner`. */
export async function putMember(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  { namespace: slug, userName }: MemberAddress,
  { role }: { role: NamespaceRole },
): Promise<Membership> {
  const account = await findAccount(db, userName);
  if (!account) throw new ServiceError('not_found', `There is no account "${userName}".`);
  await db.transaction().execute(async (trx) => {
    await lockMembers(trx, viewer, slug);
    const { row: namespace } = await loadNamespaceForOwner(trx, viewer, slug);
    await trx
      .insertInto('memberships')
      .values({ namespace_id: namespace.id, account_id: account.id, role })
      .onConflict((conflict) => conflict.columns(['namespace_id', 'account_id']).doUpdateSet({ role }))
      .execute();
    await requireOwner(trx, namespace);
    const line = { action: 'member.set', namespace, target: userName, details: { role } } as const;
    await recordAudit(trx, clock(), actorOf(viewer), line);
  });
  return { userName, role };
}

/** Removes a member (owners) or leaves (oneself); does nothing if there is no such member. Throws `last_owner`. */
export async function removeMember(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  { namespace: slug, userName }: MemberAddress,
): Promise<void> {
  const member = await findAccount(db, userName);
  if (!member) return;
  await db.transaction().execute(async (trx) => {
    await lockMembers(trx, viewer, slug);
    const namespace = await loadForRemoval(trx, viewer, { namespace: slug, userName });
    const { numDeletedRows } = await trx
      .deleteFrom('memberships')
      .where('namespace_id', '=', namespace.id)
      .where('account_id', '=', member.id)
      .executeTakeFirst();
    await requireOwner(trx, namespace);
    if (numDeletedRows === 0n) return;
    const line = { action: 'member.remove', namespace, target: userName } as const;
    await recordAudit(trx, clock(), actorOf(viewer), line);
  });
}

async function findAccount(db: Database, userName: string): Promise<{ id: string } | undefined> {
  return db.selectFrom('accounts').select('id').where('user_name', '=', userName).executeTakeFirst();
}

/** Loads the namespace for its owners, and for members who leave it. */
export async function loadForRemoval(
  db: Database,
  viewer: Viewer,
  { namespace: slug, userName }: MemberAddress,
): Promise<NamespaceRow> {
  const { row, role, viewer: account } = await loadNamespaceForMember(db, viewer, slug);
  if (role === 'owner' || account.userName === userName) return row;
  throw forbidden('Only owners of the namespace can remove others.');
}

/** Serialises changes to the members: of two owners who demote each other, the second is no longer an owner. */
async function lockMembers(trx: Database, viewer: Viewer, slug: string): Promise<void> {
  await lockNamespace(trx, slug);
  await lockMembership(trx, viewer, slug);
}

/**
 * Throws `last_owner`, rolling back the change, if it leaves the namespace without an owner; a personal one always
 * belongs to its account.
 */
async function requireOwner(trx: Database, { id, kind, slug }: NamespaceRow): Promise<void> {
  let owners = trx
    .selectFrom('memberships')
    .innerJoin('accounts', 'accounts.id', 'memberships.account_id')
    .select('accounts.id')
    .where('memberships.namespace_id', '=', id)
    .where('memberships.role', '=', 'owner');
  if (kind === 'personal') owners = owners.where('accounts.user_name', '=', slug);
  if (await owners.limit(1).executeTakeFirst()) return;
  throw new ServiceError(
    'last_owner',
    'A namespace needs at least one owner. Make somebody else an owner first.',
  );
}
