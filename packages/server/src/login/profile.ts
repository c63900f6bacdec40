import type { ResponseOf, routes } from '@bindery/contract';
import { requireAccount, type Viewer } from '../access/viewer.ts';
import { describeUser, loadAccount } from '../accounts/account.ts';
import { listNamespaces } from '../namespaces/namespaces.ts';
import type { Parts } from '../parts.ts';

type Profile = ResponseOf<typeof routes.login.getProfile>;

/** Returns who the viewer is, its namespaces, and what its token is allowed to do. */
export async function readProfile(parts: Pick<Parts, 'db'>, viewer: Viewer): Promise<Profile> {
  const { accountId, scope, token } = requireAccount(viewer);
  const account = await loadAccount(parts.db, accountId);
  if (!account) throw new Error('The account was removed in the meantime.');
  return {
    user: describeUser(account),
    namespace: account.user_name,
    namespaces: await listNamespaces(parts, viewer),
    token: {
      kind: token.kind === 'personal' ? 'personal' : 'service',
      scope,
      expiresAt: token.expiresAt === null ? null : new Date(token.expiresAt).toISOString(),
    },
  };
}
