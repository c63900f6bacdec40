import type { ResponseOf, routes } from '@bindery/contract';
import { requireAccount, type Viewer } from '../access/viewer.ts';
import { describeUser, loadAccount } from '../accounts/account.ts';
import type { DatabaseContext } from '../context.ts';
import { listNamespaces } from '../namespaces/namespaces.ts';

type Profile = ResponseOf<typeof routes.login.getProfile>;

/** Returns who the viewer is, its namespaces, and what its token is allowed to do. */
export async function readProfile(context: DatabaseContext, viewer: Viewer): Promise<Profile> {
  const { accountId, scope, token } = requireAccount(viewer);
  const account = await loadAccount(context.db, accountId);
  if (!account) throw new Error('The account was removed in the meantime.');
  return {
    user: describeUser(account),
    namespace: account.user_name,
    namespaces: await listNamespaces(context, viewer),
    token: {
      kind: token.kind === 'personal' ? 'personal' : 'service',
      scope,
      expiresAt: token.expiresAt === null ? null : new Date(token.expiresAt).toISOString(),
    },
  };
}
