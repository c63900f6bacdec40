import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { forbidden } from '../errors.ts';
import type { AccountViewer, Viewer } from './viewer.ts';

/** The account whose memberships and grants count. No account has the empty id. */
export function accountIdOf(viewer: Viewer): string {
  return viewer.kind === 'account' ? viewer.accountId : '';
}

/**
 * The condition that what the viewer has in a namespace counts. A token bound to one namespace acts as a stranger
 * everywhere else.
 *
 * @param namespaceId the column that says which namespace it is
 */
export function countsIn(
  viewer: Viewer | Pick<AccountViewer, 'onlyNamespaceId'>,
  namespaceId: `${string}.${string}`,
): RawBuilder<SqlBool> {
  const bound = 'onlyNamespaceId' in viewer ? viewer.onlyNamespaceId : null;
  return bound === null ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${sql.ref(namespaceId)} = ${bound}`;
}

/** A token bound to one namespace may not touch the account itself: its tokens, its further namespaces. */
export function requireUnboundToken(viewer: AccountViewer): void {
  if (viewer.onlyNamespaceId === null) return;
  throw forbidden('This token is restricted to one namespace. Use one for the whole account.');
}
