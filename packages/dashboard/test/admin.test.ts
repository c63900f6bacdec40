import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { MACHINE } from '../../server/src/access/viewer.ts';
import { changeUser } from '../../server/src/administration/users.ts';
import { publish } from '../../server/test/libraries/publish.ts';
import {
  browserPath,
  findAccessibilityProblems,
  openMenu,
  openUntilIdle,
  type PageOptions,
  useDashboard,
} from './dashboard.ts';

const ASSETS = [{ id: 'mug', title: 'Mug', files: { 'mug/mug.obj': 'v 0 0 0\n' } }];
const PAGES = [
  '/app/-/admin',
  '/app/-/admin/users',
  '/app/-/admin/users/ada',
  '/app/-/admin/namespaces',
  '/app/-/admin/namespaces/ada',
];

describe.skipIf(browserPath === null)('the Admin pages', () => {
  const dashboard = useDashboard(['olga', 'ada', 'bo', 'cleo'], async (service) => {
    await changeUser(service.context, MACHINE, { userName: 'olga' }, { operator: true });
    const ada = await service.member('ada');
    await publish(ada, 'ada/kitchen', { library: { title: 'Secret kitchen' }, assets: ASSETS });
    await publish(await service.member('bo'), 'bo/robots', { assets: ASSETS });
  });
  let ahead = 0;
  afterEach(() => {
    dashboard.service.advance(-ahead);
    ahead = 0;
  });

  test('are hidden from users who are not operators, and ask anonymous visitors to sign in', async () => {
    const page = await dashboard.open('/app/-/admin', { userName: 'ada' });
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await openMenu(page);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(await page.getByRole('link', { name: 'Admin' }).count()).toBe(0);
    const nobody = await dashboard.open('/app/-/admin/users');
    await nobody.getByRole('heading', { name: 'Sign in to see this' }).waitFor();
  });

  const looks: PageOptions[] = [
    { width: 1280, colorScheme: 'light' },
    { width: 320, colorScheme: 'dark' },
  ];
  test.each(looks)('show the state of the service and pass accessibility checks with %j', async (look) => {
    const page = await dashboard.open('/app/', { ...look, userName: 'olga' });
    await openMenu(page);
    await page.getByRole('link', { name: 'Admin', exact: true }).click();
    await page.getByText('The service is ready').waitFor();
    await page.getByRole('img', { name: /^Disk usage: Libraries \d.*Free for uploads/ }).waitFor();
    await page.getByRole('img', { name: /^Requests in the last hour: \d+ requests, 0 failed/ }).waitFor();
    for (const path of PAGES) {
      await openUntilIdle(page, path);
      await page.getByRole('navigation', { name: 'Admin pages' }).waitFor();
      expect(await findAccessibilityProblems(page), path).toEqual([]);
    }
  });

  test('show the names of private libraries, but neither their titles nor links to them', async () => {
    const page = await dashboard.open('/app/-/admin/namespaces', { userName: 'olga' });
    await page.getByRole('searchbox', { name: 'Search namespaces' }).fill('ada');
    await page.getByRole('link', { name: 'bo', exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('main').getByRole('link', { name: 'ada', exact: true }).click();
    await page.getByText('ada/kitchen').waitFor();
    await expect.poll(() => page.getByText('Secret kitchen').count()).toBe(0);
    await expect.poll(() => page.getByRole('link', { name: /kitchen/ }).count()).toBe(0);
    await page.goto('/app/ada/kitchen');
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
  });

  test('set and remove a quota, which members see in their namespace', async () => {
    const page = await dashboard.open('/app/-/admin/namespaces/ada', { userName: 'olga' });
    await page.getByLabel('GiB').fill('0.5');
    await page.getByLabel('Libraries', { exact: true }).fill('3');
    await page.getByRole('button', { name: 'Set quota' }).click();
    const quota = page.getByRole('list', { name: 'Quota' });
    await quota.getByText('1 library of at most 3 libraries').waitFor();
    await quota.getByText('8 B of at most 512 MiB').waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('link', { name: 'Namespaces' }).first().click();
    await page.getByText('Quota: 1 library of at most 3 libraries').waitFor();
    await page.goBack();
    const member = await dashboard.open('/app/ada', { userName: 'ada' });
    await member.getByText('8 B of at most 512 MiB').waitFor();
    await page.getByLabel('GiB').fill('');
    await page.getByLabel('Libraries', { exact: true }).fill('');
    await page.getByRole('button', { name: 'Set quota' }).click();
    await expect.poll(() => page.getByText('of at most').count()).toBe(0);
  });

  test('follow a link at once after typing, even if its page takes a while to load', async () => {
    const page = await dashboard.open('/app/-/admin/users', { userName: 'olga' });
    const link = page.getByRole('main').getByRole('link', { name: 'cleo', exact: true });
    await link.waitFor();
    await page.route(/\/app\/assets\/user-page/, async (route) => {
      await setTimeout(1_000);
      await route.continue();
    });
    await page.getByRole('searchbox').fill('cleo');
    await link.click();
    await page.getByRole('heading', { name: 'cleo' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/app/-/admin/users/cleo');
  });

  test('disable an account and enable it again', async () => {
    const page = await dashboard.open('/app/-/admin/users', { userName: 'olga' });
    await page.getByRole('searchbox').fill('cleo@example');
    await page.waitForURL(/\?q=cleo/);
    await page.getByRole('main').getByRole('link', { name: 'cleo', exact: true }).click();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByText(/disabled since/).waitFor();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('delete an account by keyboard, once its namespace has a new owner and its name was typed', async () => {
    const page = await dashboard.open('/app/-/admin/users/bo', { userName: 'olga' });
    await page.getByText('needs another owner').waitFor();
    await page.getByRole('button', { name: 'Delete account' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/Namespaces that go to nobody yet: 1/).waitFor();
    await page.keyboard.type('bo');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').filter({ hasText: 'Name a new owner' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel(/^New owner of its namespaces/).fill('cleo');
    await page.getByRole('button', { name: 'Delete account' }).press('Enter');
    await dialog.getByText(/Namespaces that go to cleo: 1/).waitFor();
    await page.keyboard.type('bo');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/app/-/admin/users');
    const cleo = await dashboard.service.member('cleo');
    expect((await cleo.get('/namespaces/bo/libraries/robots')).status).toBe(200);
    await page.goto('/app/-/admin/users/bo');
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
  });

  test('hand over a namespace, and ask to sign in again if the last sign-in was long ago', async () => {
    const page = await dashboard.open('/app/-/admin/namespaces/ada', { userName: 'olga' });
    await page.getByLabel('User name').fill('cleo');
    await page.getByRole('button', { name: 'Make an owner' }).click();
    await page.getByText('cleo is now an owner.').waitFor();
    ahead = 2 * 3_600;
    dashboard.service.advance(ahead);
    await page.getByLabel('User name').fill('olga');
    await page.getByRole('button', { name: 'Make an owner' }).click();
    const alert = page.getByRole('alert');
    await alert.getByRole('link', { name: 'Sign in' }).waitFor();
    await expect.poll(() => alert.getByRole('link').getAttribute('href')).toContain('again=yes');
  });
});
