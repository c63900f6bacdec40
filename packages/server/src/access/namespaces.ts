import { mayWrite, type NamespaceRole } from '@bindery/contract';
import type { Selectable } from 'kysely';
import type { Database } from '../database/schema.ts';
import type { NamespacesTable } from '../database/tables/accounts.ts';
import { forbidden } from '../errors.ts';
import { accountIdOf, tokenAppliesIn } from './bound-token.ts';
import type { Viewer } from './viewer.ts';

export type NamespaceRow = Selectable<NamespacesTable>;

/** A namespace together with the role that the viewer has in it, if any. */
export interface VisibleNamespace {
  row: NamespaceRow;
  role: NamespaceRole | null;
}

/** Throws `forbidden` if the role can only read. */
export function requireWriter(role: NamespaceRole): void {
  if (!mayWrite(role)) throw forbidden('Readers of the namespace cannot change anything in it.');
}

/** A namespace in which the viewer is a member. */
export interface MemberNamespace extends VisibleNamespace {
  role: NamespaceRole;
}

/**
 * The single row from which queries of a namespace's contents start: its id and the viewer's membership. A missing
 * namespace also gives a row, with an id that nothing belongs to, so that it takes as many look-ups as a hidden one.
 */
export function requestedNamespace(db: Database, viewer: Viewer, slug: string) {
  const asked = db.selectNoFrom(({ fn, selectFrom, val }) =>
    fn
      .coalesce(selectFrom('namespaces').select('namespaces.id').where('namespaces.slug', '=', slug), val(''))
      .as('id'),
  );
  return db
    .selectFrom(asked.as('asked'))
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.namespace_id', '=', 'asked.id')
        .on('memberships.account_id', '=', accountIdOf(viewer))
        .on(tokenAppliesIn(viewer, 'asked.id')),
    );
}

/** Returns the namespace with that slug if the viewer is a member of it, else null. */
export async function findMemberNamespace(
  db: Database,
  viewer: Viewer,
  slug: string,
): Promise<MemberNamespace | null> {
  const found = await requestedNamespace(db, viewer, slug)
    .innerJoin('namespaces', 'namespaces.id', 'asked.id')
    .selectAll('namespaces')
    .select('memberships.role')
    .where('memberships.role', 'is not', null)
    .$narrowType<{ role: NamespaceRole }>()
    .executeTakeFirst();
  if (!found) return null;
  const { role, ...row } = found;
  return { row, role };
}
