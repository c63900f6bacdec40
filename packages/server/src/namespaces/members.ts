import type { Membership, NamespaceRole } from '@bindery/contract';
import { loadNamespace, loadNamespaceForOwner, loadNamespaceForWrite } from '../access/load-namespace.ts';
import type { NamespaceRow } from '../access/namespaces.ts';
import { requireAccount, type Viewer } from '../access/viewer.ts';
import type { Database } from '../database/schema.ts';
import { forbidden, ServiceError } from '../errors.ts';
import type { Parts } from '../parts.ts';

/** The members by name, for members. */
export async function listMembers(
  { db }: Pick<Parts, 'db'>,
  viewer: Viewer,
  slug: string,
): Promise<Membership[]> {
  const { row, role } = await loadNamespace(db, requireAccount(viewer), slug);
  if (role === null) throw forbidden('The member list is for members of the namespace.');
  return db
    .selectFrom('memberships')
    .innerJoin('accounts', 'accounts.id', 'memberships.account_id')
    .select(['accounts.user_name as userName', 'memberships.role'])
    .where('memberships.namespace_id', '=', row.id)
    .orderBy('accounts.user_name')
    .execute();
}

/** Adds a member or changes the role. 404 for an account that does not exist; throws `last_owner`. */
export async function putMember(
  { db }: Pick<Parts, 'db'>,
  viewer: Viewer,
  slug: string,
  userName: string,
  readInput: () => { role: NamespaceRole },
): Promise<Membership> {
  const { row: namespace } = await loadNamespaceForOwner(db, viewer, slug);
  const { role } = readInput();
  const account = await findAccount(db, userName);
  if (!account) throw new ServiceError('not_found', `There is no account "${userName}".`);
  await db.transaction().execute(async (trx) => {
    await lockMembers(trx, namespace);
    await trx
      .insertInto('memberships')
      .values({ namespace_id: namespace.id, account_id: account.id, role })
      .onConflict((conflict) => conflict.columns(['namespace_id', 'account_id']).doUpdateSet({ role }))
      .execute();
    await requireOwner(trx, namespace);
  });
  return { userName, role };
}

/** Removes a member (owners) or leaves (oneself); nothing where there is no such member. Throws `last_owner`. */
export async function deleteMember(
  { db }: Pick<Parts, 'db'>,
  viewer: Viewer,
  slug: string,
  userName: string,
): Promise<void> {
  const { row: namespace, role, viewer: account } = await loadNamespaceForWrite(db, viewer, slug);
  if (role !== 'owner' && account.userName !== userName) {
    throw forbidden('Only owners of the namespace may remove others.');
  }
  const member = await findAccount(db, userName);
  if (!member) return;
  await db.transaction().execute(async (trx) => {
    await lockMembers(trx, namespace);
    await trx
      .deleteFrom('memberships')
      .where('namespace_id', '=', namespace.id)
      .where('account_id', '=', member.id)
      .execute();
    await requireOwner(trx, namespace);
  });
}

async function findAccount(db: Database, userName: string): Promise<{ id: string } | undefined> {
  return db.selectFrom('accounts').select('id').where('user_name', '=', userName).executeTakeFirst();
}

/** Holds the namespace's row until the transaction ends: its memberships change one after another. */
async function lockMembers(trx: Database, { id }: NamespaceRow): Promise<void> {
  await trx
    .updateTable('namespaces')
    .set((eb) => ({ display_name: eb.ref('display_name') }))
    .where('id', '=', id)
    .execute();
}

/** Rolls the change back where it left nobody to own the namespace; a personal one is always its person's. */
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
    'A namespace keeps at least one owner. Make somebody else owner first.',
  );
}
