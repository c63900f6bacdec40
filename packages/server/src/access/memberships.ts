import type { NamespaceRole } from '@bindery/contract';
import type { Database } from '../database/schema.ts';
import { tokenAppliesIn } from './bound-token.ts';
import type { Viewer } from './viewer.ts';

/** Namespace ids with the viewer's role in each. A token bound to a namespace sees only that one. */
export type Memberships = ReadonlyMap<string, NamespaceRole>;

/** The memberships of someone who has none. */
export const NO_MEMBERSHIPS: Memberships = new Map();

export async function membershipsOf(db: Database, viewer: Viewer): Promise<Memberships> {
  if (viewer.kind === 'anonymous') return NO_MEMBERSHIPS;
  const rows = await db
    .selectFrom('memberships')
    .select(['namespace_id', 'role'])
    .where('account_id', '=', viewer.accountId)
    .where(tokenAppliesIn(viewer, 'memberships.namespace_id'))
    .execute();
  return new Map(rows.map((row) => [row.namespace_id, row.role]));
}
