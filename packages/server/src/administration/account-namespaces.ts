import type { AccountNamespace, OnDeletion } from '@bindery/contract';
import { type AccountRow, findAccountByName } from '../accounts/account.ts';
import type { DatabaseContext } from '../context.ts';
import type { Database } from '../database/schema.ts';

/** A namespace that an account is a member of, and what happens to it if the account is deleted. */
export type AccountNamespaceRow = AccountNamespace & { id: string };

/** Returns the namespaces of the account with that user name. Throws `not_found`. */
export async function namespacesOfUser(
  { db }: DatabaseContext,
  userName: string,
): Promise<AccountNamespace[]> {
  const held = await accountNamespaces(db, await findAccountByName(db, userName));
  return held.map(({ id: _, ...namespace }) => namespace);
}

/** Returns the namespaces of an account, ordered by slug. */
export async function accountNamespaces(
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
