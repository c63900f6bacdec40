import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { forbidden } from '../errors.ts';
import type { AccountViewer, Viewer } from './viewer.ts';

/**
 * Returns the id of the account whose memberships and grants apply; the empty id, which no account has, for anonymous
 * viewers.
 */
export function accountIdOf(viewer: Viewer): string {
  return viewer.kind === 'account' ? viewer.accountId : '';
}

/**
 * The condition under which the viewer's memberships and grants in a namespace apply. A token bound to one namespace
 * has only a stranger's rights everywhere else.
 *
 * @param namespaceId the column that holds the namespace's id
 */
export function tokenAppliesIn(
  viewer: Viewer | Pick<AccountViewer, 'boundNamespaceId'>,
  namespaceId: `${string}.${string}`,
): RawBuilder<SqlBool> {
  const bound = 'boundNamespaceId' in viewer ? viewer.boundNamespaceId : null;
  return bound === null ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${sql.ref(namespaceId)} = ${bound}`;
}

/**
 * Throws `forbidden` for a token bound to one namespace, which cannot manage the account itself: its tokens, its other
 * namespaces.
 */
export function requireUnboundToken(viewer: AccountViewer): void {
  if (viewer.boundNamespaceId === null) return;
  throw forbidden('This token is restricted to one namespace. Use one for the whole account.');
}
