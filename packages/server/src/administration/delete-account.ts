import type { AccountNamespace, OnDeletion } from '@bindery/contract';
import { lockNamespace } from '../access/lock-rights.ts';
import { lockRecentOperator, requireSomeOperator } from '../access/operators.ts';
import type { Actor } from '../access/viewer.ts';
import { type AccountRow, findAccountByName } from '../accounts/accounts.ts';
import { type AuditActor, actorOf, recordAudit } from '../audit/audit-log.ts';
import type { DatabaseContext } from '../context.ts';
import { isForeignKeyViolation } from '../database/failures.ts';
import type { Database } from '../database/schema.ts';
import { invalidParameter, ServiceError, unavailable } from '../errors.ts';

export interface DeletedUser {
  /** Namespaces that now belong to the heir. */
  handedOver: string[];
  /** Empty namespaces that were deleted with the account. */
  deleted: string[];
}

/**
 * Deletes an account; see `deleteAccount`. If something is added to one of its namespaces concurrently, throws
 * `unavailable` and deletes nothing.
 */
export async function deleteUser(
  { db, clock }: DatabaseContext,
  actor: Actor,
  { userName }: { userName: string },
  { handOverTo }: { handOverTo?: string | undefined },
): Promise<DeletedUser> {
  try {
    return await db.transaction().execute(async (trx) => {
      const now = clock();
      await lockRecentOperator(trx, actor, now, 'Accounts can only be deleted');
      return deleteAccount(trx, userName, handOverTo, { actor: actorOf(actor), now });
    });
  } catch (error) {
    if (isForeignKeyViolation(error)) throw changedMeanwhile();
    throw error;
  }
}

/**
 * Deletes an account with its logins and tokens, but nothing that a namespace holds. A team with another owner stays as
 * it is; other namespaces go to the heir, or are deleted if they are empty and, for teams, have no other members. A
 * personal namespace that is handed over becomes a team. Throws `not_found` for an unknown user name,
 * `invalid_parameter` for the heir, `namespace_not_empty` if an heir is required, `last_operator`.
 */
async function deleteAccount(
  trx: Database,
  userName: string,
  handOverTo: string | undefined,
  { actor, now }: { actor: AuditActor; now: number },
): Promise<DeletedUser> {
  const account = await findAccountByName(trx, userName);
  const held = await lockNamespacesOf(trx, account);
  const orphans = held.filter(({ onDeletion }) => onDeletion === 'handedOver');
  if (orphans.length > 0) {
    const newOwner = await findNewOwner(trx, account, handOverTo, orphans);
    for (const namespace of orphans) {
      await makeOwner(trx, namespace.id, newOwner);
      const line = { action: 'namespace.hand-over', namespace, target: handOverTo ?? '' } as const;
      await recordAudit(trx, now, actor, line);
    }
    await trx
      .updateTable('namespaces')
      .set({ kind: 'team' })
      .where(
        'id',
        'in',
        orphans.map(({ id }) => id),
      )
      .execute();
  }
  await trx.deleteFrom('memberships').where('account_id', '=', account.id).execute();
  const empty = held.filter(({ onDeletion }) => onDeletion === 'deleted');
  for (const { id } of empty) await deleteNamespace(trx, id);
  await trx.deleteFrom('unregistered_bytes').where('account_id', '=', account.id).execute();
  await trx.deleteFrom('accounts').where('id', '=', account.id).execute();
  if (account.operator === 1) await requireSomeOperator(trx);
  await recordAudit(trx, now, actor, { action: 'account.delete', target: userName });
  return { handedOver: orphans.map(({ slug }) => slug), deleted: empty.map(({ slug }) => slug) };
}

/** Adds an owner, or makes an existing member one. */
export async function makeOwner(trx: Database, namespaceId: string, accountId: string): Promise<void> {
  await trx
    .insertInto('memberships')
    .values({ namespace_id: namespaceId, account_id: accountId, role: 'owner' })
    .onConflict((conflict) => conflict.columns(['namespace_id', 'account_id']).doUpdateSet({ role: 'owner' }))
    .execute();
}

/**
 * Returns the account's namespaces, and locks them so that the account can neither leave nor join any until the
 * transaction ends.
 */
async function lockNamespacesOf(trx: Database, account: AccountRow): Promise<AccountNamespaceRow[]> {
  const before = await accountNamespaces(trx, account);
  for (const { slug } of before) await lockNamespace(trx, slug);
  // Changing a key column blocks inserts of rows that refer to the account; an update that leaves keys unchanged would
  // not.
  await trx.updateTable('accounts').set({ user_name: account.id }).where('id', '=', account.id).execute();
  const held = await accountNamespaces(trx, account);
  if (held.some(({ id }) => before.every((one) => one.id !== id))) throw changedMeanwhile();
  return held;
}

async function findNewOwner(
  trx: Database,
  account: AccountRow,
  handOverTo: string | undefined,
  orphans: readonly AccountNamespaceRow[],
): Promise<string> {
  if (handOverTo === undefined) {
    const slugs = orphans.map(({ slug }) => slug);
    throw new ServiceError(
      'namespace_not_empty',
      `Only "${account.user_name}" owns ${slugs.join(', ')}. Name a new owner.`,
      { namespaces: slugs },
    );
  }
  const newOwner = await trx
    .selectFrom('accounts')
    .select('id')
    .where('user_name', '=', handOverTo)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  if (newOwner && handOverTo !== account.user_name) return newOwner.id;
  throw invalidParameter(
    'handOverTo',
    `handOverTo: another account that is not disabled (received "${handOverTo}").`,
  );
}

/** Fails with a foreign key violation if the namespace is not empty. */
async function deleteNamespace(trx: Database, id: string): Promise<void> {
  await trx.deleteFrom('memberships').where('namespace_id', '=', id).execute();
  await trx.deleteFrom('namespaces').where('id', '=', id).execute();
}

function changedMeanwhile(): ServiceError {
  return unavailable('The namespaces of the account changed at the same time. Try again.', 1);
}

/** A namespace that an account is a member of, and what happens to it if the account is deleted. */
type AccountNamespaceRow = AccountNamespace & { id: string };

/** Returns the namespaces of the account with that user name. Throws `not_found`. */
export async function namespacesOfUser(
  { db }: DatabaseContext,
  userName: string,
): Promise<AccountNamespace[]> {
  const held = await accountNamespaces(db, await findAccountByName(db, userName));
  return held.map(({ id: _, ...namespace }) => namespace);
}

/** Returns the namespaces of an account, ordered by slug. */
async function accountNamespaces(
  db: Database,
  account: Pick<AccountRow, 'id' | 'user_name'>,
): Promise<AccountNamespaceRow[]> {
  const rows = await db
    .selectFrom('memberships as own')
    .innerJoin('namespaces', 'namespaces.id', 'own.namespace_id')
    .where('own.account_id', '=', account.id)
    .select((eb) => {
      const others = eb
        .selectFrom('memberships as other')
        .whereRef('other.namespace_id', '=', 'namespaces.id')
        .where('other.account_id', '!=', account.id);
      const contents = (['libraries', 'projects', 'notes'] as const).map((table) =>
        eb.exists(
          eb.selectFrom(table).select(eb.lit(1).as('one')).whereRef('namespace_id', '=', 'namespaces.id'),
        ),
      );
      return [
        'namespaces.id',
        'namespaces.slug',
        'namespaces.kind',
        'own.role',
        others.select((of) => of.fn.countAll<number>().as('count')).as('others'),
        others
          .where('other.role', '=', 'owner')
          .select((of) => of.fn.countAll<number>().as('count'))
          .as('owners'),
        eb.case().when(eb.or(contents)).then(1).else(0).end().as('holds'),
      ];
    })
    .orderBy('namespaces.slug')
    .execute();
  return rows.map(({ id, slug, kind, role, others, owners, holds }) => {
    const rest = { others: Number(others), owners: Number(owners), isEmpty: Number(holds) === 0 };
    const isOwn = kind === 'personal' && slug === account.user_name;
    return { id, slug, kind, role, onDeletion: outcomeOfDeletion(isOwn, rest) };
  });
}

/** An account's own personal namespace is handed over or deleted; any other that has another owner is simply left. */
function outcomeOfDeletion(
  isOwn: boolean,
  { others, owners, isEmpty }: { others: number; owners: number; isEmpty: boolean },
): OnDeletion {
  if (!isOwn && owners > 0) return 'left';
  return isEmpty && (isOwn || others === 0) ? 'deleted' : 'handedOver';
}
