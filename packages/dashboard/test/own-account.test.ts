import { describe, expect, test } from 'vitest';
import { Actor } from '../../server/test/actor.ts';
import { publish } from '../../server/test/libraries/publish.ts';
import { startReceiver } from '../../server/test/webhooks/receiver.ts';
import { browserPath, findAccessibilityProblems, openMenu, useDashboard } from './dashboard.ts';

const ASSETS = [{ id: 'mug', title: 'Mug', files: { 'mug/mug.obj': 'v 0 0 0\n' } }];

describe.skipIf(browserPath === null)('managing an account and its namespaces', () => {
  const dashboard = useDashboard(['ada', 'bo', 'stranger'], async (service) => {
    const ada = await service.member('ada');
    for (const name of ['kitchen', 'garage', 'attic']) {
      await publish(ada, `ada/${name}`, { library: { title: `My ${name}` }, assets: ASSETS });
    }
    await ada.post('/namespaces', { slug: 'team' });
  });

  test('a visitor who is not signed in is sent to sign in, with the page to return to in the URL', async () => {
    const page = await dashboard.open('/app/-/account');
    await page.getByRole('heading', { name: 'Sign in to see this' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
    await page.waitForURL('**/sign-in?next=*');
    expect(new URL(page.url()).searchParams.get('next')).toBe('/app/-/account');
  });

  test('a token is created, shown once, works, and stops working when revoked', async () => {
    const page = await dashboard.open('/app/-/account', { userName: 'stranger' });
    await page.getByLabel('Name', { exact: true }).fill('robot lab');
    await page.getByRole('button', { name: 'Create token' }).click();
    const secret = await page.getByText(/^bnd_/).textContent();
    const lab = new Actor(dashboard.service.url, { authorization: `Bearer ${secret}` });
    expect((await lab.get('/api/auth/profile')).status).toBe(200);
    expect(await findAccessibilityProblems(page)).toEqual([]);

    await page.reload();
    await page.getByText('robot lab', { exact: true }).waitFor();
    await expect.poll(() => page.getByText(/^bnd_/).count()).toBe(0);
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('You have no tokens.').waitFor();
    expect((await lab.get('/api/auth/profile')).status).toBe(401);
  });

  test('another browser can be signed out, and a new password requires signing in again', async () => {
    const page = await dashboard.open('/app/-/account', { userName: 'bo' });
    const elsewhere = await dashboard.open('/app/-/account', { userName: 'bo' });
    const own = page.getByRole('main');
    await own.getByText('this browser').waitFor();
    await page.reload();
    await own.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await expect.poll(() => own.getByRole('button', { name: 'Sign out' }).count()).toBe(0);
    await elsewhere.reload();
    await elsewhere.getByRole('heading', { name: 'Sign in to see this' }).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);

    await page.getByLabel('Current password').fill('not my password');
    await page.getByLabel('New password').fill('a better horse battery');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('The current password is wrong.').waitFor();
    await page.getByLabel('Current password').fill('correct horse battery');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.waitForURL('**/sign-in?**');
    await page.getByLabel('E-mail address').fill('bo@example.org');
    await page.getByLabel('Password').fill('a better horse battery');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('this browser').waitFor();
  });

  test('a webhook is added, shows its secret once, sends a delivery again, is paused, and is removed', async () => {
    const receiver = await startReceiver();
    const page = await dashboard.open('/app/ada/-/webhooks', { userName: 'ada' });
    const own = page.getByRole('main');
    await own.getByText('There are no webhooks.').waitFor();
    await own.getByLabel('URL').fill(receiver.url);
    await own.getByLabel('Events').selectOption('some');
    await own.getByLabel('note.created').check();
    await own.getByRole('button', { name: 'Add webhook' }).click();
    await own.getByText(/^whsec_/).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.reload();
    await own.getByText('Nothing has been sent yet.').waitFor();
    await expect.poll(() => own.getByText(/^whsec_/).count()).toBe(0);

    const ada = await dashboard.service.member('ada');
    await ada.post('/namespaces/ada/notes', { name: 'Plan' });
    await expect.poll(() => receiver.received.length).toBe(1);
    await page.reload();
    await own.getByText('Status 204').waitFor();
    await own.getByRole('button', { name: /^Redeliver: note.created/ }).click();
    await expect.poll(() => receiver.received.length).toBe(2);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids[1]).toBe(ids[0]);

    await own.getByRole('button', { name: /^Pause/ }).click();
    await own.getByRole('button', { name: /^Resume/ }).waitFor();
    await own.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await own.getByText('There are no webhooks.').waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await receiver.close();
  });

  test('a member leaves a namespace', async () => {
    const ada = await dashboard.service.member('ada');
    await ada.put('/namespaces/team/members/stranger', { role: 'member' });
    const page = await dashboard.open('/app/-/account', { userName: 'stranger' });
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await expect.poll(() => page.getByRole('link', { name: 'team' }).count()).toBe(0);
  });

  test('signing out ends the session in every tab', async () => {
    const page = await dashboard.open('/app/', { userName: 'ada' });
    await page.getByRole('heading', { name: 'My kitchen' }).waitFor();
    const other = await page.context().newPage();
    await other.goto('/app/ada/kitchen');
    await other.getByRole('heading', { name: 'My kitchen' }).waitFor();
    await openMenu(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/sign-in');
    await other.reload();
    await other.getByRole('heading', { name: 'Not found' }).waitFor();
  });

  test('a share link is created, opens the library to anyone, and stops working when its removal is confirmed', async () => {
    const page = await dashboard.open('/app/ada/kitchen', { userName: 'ada' });
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Create share link' }).click();
    const link = await page
      .getByText(/\?share=/)
      .first()
      .textContent();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    const shared = await dashboard.open(link?.slice(dashboard.service.url.length) ?? '');
    await shared.getByRole('heading', { name: 'My kitchen' }).waitFor();
    await expect.poll(() => shared.getByRole('link', { name: 'Settings' }).count()).toBe(0);

    const remove = page.getByRole('button', { name: 'Delete link' });
    await remove.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await shared.reload();
    await shared.getByRole('heading', { name: 'My kitchen' }).waitFor();
    await remove.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete link' }).click();
    await page.getByRole('button', { name: 'Create share link' }).waitFor();
    await shared.reload();
    await shared.getByRole('heading', { name: 'Not found' }).waitFor();
  });

  test('a library is made public, and private again', async () => {
    const page = await dashboard.open('/app/ada/attic', { userName: 'ada' });
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Make public' }).click();
    await page.getByRole('button', { name: 'Make private' }).click();
    await page.getByRole('button', { name: 'Make public' }).waitFor();
  });

  test('a library is moved to the Trash, restored, and purged only after its name is typed', async () => {
    const page = await dashboard.open('/app/ada/garage', { userName: 'ada' });
    const toTrash = async () => {
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('button', { name: 'Move to the Trash' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Move to the Trash' }).click();
      await page.waitForURL('**/app/ada');
      await page.getByRole('link', { name: 'Trash' }).click();
    };
    await toTrash();
    await page.getByRole('button', { name: 'Restore ada/garage' }).click();
    await page.getByRole('heading', { name: 'The Trash is empty' }).waitFor();
    await page.goto('/app/ada/garage');
    await toTrash();
    await page.getByRole('button', { name: 'Purge' }).click();
    const purge = page.getByRole('dialog').getByRole('button', { name: 'Purge' });
    await expect.poll(() => purge.isDisabled()).toBe(true);
    await page.getByLabel('Type ada/garage to confirm').fill('ada/garage');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await purge.click();
    await page.getByRole('heading', { name: 'The Trash is empty' }).waitFor();
  });

  test('an owner adds a member, changes their role, and removes them', async () => {
    const page = await dashboard.open('/app/team/-/members', { userName: 'ada' });
    await page.getByLabel('User name').fill('bo');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByLabel('Role of bo').selectOption('owner');
    const bo = await dashboard.service.member('bo');
    await expect.poll(async () => (await bo.get('/namespaces/team')).body.viewerRole).toBe('owner');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove bo', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await expect.poll(async () => (await bo.get('/namespaces/team')).status).toBe(404);
  });

  test('an owner gives others a role in their personal namespace', async () => {
    const page = await dashboard.open('/app/ada/-/members', { userName: 'ada' });
    await page.getByLabel('User name').fill('bo');
    await page.getByRole('combobox', { name: 'Role', exact: true }).selectOption('reader');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByLabel('Role of bo').waitFor();
    const bo = await dashboard.service.member('bo');
    await expect.poll(async () => (await bo.get('/namespaces/ada')).body.viewerRole).toBe('reader');
  });

  test.each(['members', 'trash'])(
    'the %s page of someone else’s namespace looks like that of a missing one',
    async (name) => {
      const shown = await Promise.all(
        [`/app/team/-/${name}`, `/app/nobody/-/${name}`].map(async (path) => {
          const page = await dashboard.open(path, { userName: 'stranger' });
          await page.getByRole('heading', { name: 'Not found' }).waitFor();
          return page.locator('main').innerHTML();
        }),
      );
      expect(new Set(shown).size).toBe(1);
    },
  );
});
