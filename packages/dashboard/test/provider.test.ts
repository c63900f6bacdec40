import { describe, expect, test } from 'vitest';
import { MACHINE } from '../../server/src/access/viewer.ts';
import { findAccountByName, writeIdentity } from '../../server/src/accounts/accounts.ts';
import { identityKey, OIDC_PROVIDER } from '../../server/src/accounts/sign-in-methods.ts';
import { changeUser } from '../../server/src/administration/users.ts';
import { browserPath, findAccessibilityProblems, useDashboard } from './dashboard.ts';

const ISSUER = 'https://id.example.org';

const oidc = {
  issuer: ISSUER,
  clientId: 'bindery',
  clientSecret: 'a secret of the client',
  name: 'Acme',
  scopes: 'openid email profile',
  signup: false,
  domains: [],
  groups: [],
  authTime: 'required' as const,
};

describe.skipIf(browserPath === null)('the identity provider of an account', () => {
  const dashboard = useDashboard(
    ['ann', 'bob', 'olga'],
    async ({ context, context: { db, clock } }) => {
      await changeUser(context, MACHINE, { userName: 'olga' }, { operator: true });
      for (const userName of ['ann', 'bob']) {
        const { id } = await findAccountByName(db, userName);
        const identity = { provider: OIDC_PROVIDER, key: identityKey({ issuer: ISSUER, subject: userName }) };
        await db.transaction().execute((trx) => writeIdentity(trx, id, identity, clock()));
      }
    },
    async () => ({ origin: ISSUER, configuration: { oidc } }),
  );

  test('can be disconnected by a user with a password, who is then offered to reconnect it', async () => {
    const page = await dashboard.open('/app/-/account', { userName: 'ann' });
    await page.getByRole('heading', { name: 'Sign-in with Acme' }).waitFor();
    await page.getByRole('button', { name: 'Disconnect' }).click();
    const dialog = page.getByRole('dialog', { name: 'Disconnect Acme?' });
    await dialog.getByRole('button', { name: 'Disconnect' }).click();
    const connect = page.getByRole('link', { name: 'Connect', exact: true });
    await connect.waitFor();
    expect(await connect.getAttribute('href')).toBe('/account/connect');
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('can be disconnected by an operator on the Admin page of the account', async () => {
    const page = await dashboard.open('/app/-/admin/users/bob', { userName: 'olga' });
    await page.getByText('Signs in by password, id.example.org').waitFor();
    await page.getByRole('button', { name: 'Disconnect the provider' }).click();
    const dialog = page.getByRole('dialog', { name: 'Disconnect bob from the provider?' });
    await dialog.getByRole('button', { name: 'Disconnect the provider' }).click();
    await page.getByText('Signs in by password', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Disconnect the provider' }).count()).toBe(0);
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });
});
