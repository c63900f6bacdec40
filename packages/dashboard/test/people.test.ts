import { describe, expect, test } from 'vitest';
import { MACHINE } from '../../server/src/access/viewer.ts';
import { changeUser } from '../../server/src/administration/users.ts';
import { writeUseCounts } from '../../server/src/libraries/use/counts.ts';
import { publish } from '../../server/test/libraries/publish.ts';
import { browserPath, findAccessibilityProblems, useDashboard } from './dashboard.ts';

const ASSETS = [{ id: 'cup', kind: 'mesh', entry: 'cup/cup.obj', files: { 'cup/cup.obj': 'v 0 0 0\n' } }];

describe.skipIf(browserPath === null)('libraries of people', () => {
  const dashboard = useDashboard(['ada', 'bob'], async (service) => {
    const ada = await service.member('ada');
    for (let at = 0; at < 30; at++) {
      const name = `shelf-${String(at).padStart(2, '0')}`;
      await publish(ada, `ada/${name}`, { visibility: 'public', library: { title: name }, assets: ASSETS });
    }
    const bob = await service.member('bob');
    await publish(bob, 'bob/own', { library: { title: 'Own' }, assets: ASSETS });
    await bob.post('/namespaces/ada/libraries/shelf-07/uses', { assets: ['cup'] });
    await writeUseCounts(service.context);
  });

  test('are paged and sorted on the home page, by what the address says', async () => {
    const page = await dashboard.open('/app/?by=name', { userName: 'bob' });
    const titles = () => page.getByRole('article').getByRole('heading').allTextContents();
    await expect.poll(async () => (await titles()).length).toBe(24);
    expect((await titles())[0]).toBe('shelf-00');
    await page.getByRole('button', { name: 'Next' }).click();
    await expect.poll(titles).toContain('Own');
    expect(page.url()).toContain('page=2');
    await page.getByLabel('Sort by').selectOption('usage');
    await expect.poll(async () => (await titles())[0]).toBe('shelf-07');
    await page.getByRole('article').first().getByText('used by 1 project').waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('are Mine for members, and favourites once they are marked', async () => {
    const page = await dashboard.open('/app/', { userName: 'bob' });
    await page.getByRole('link', { name: 'Mine' }).click();
    await expect
      .poll(() => page.getByRole('article').getByRole('heading').allTextContents())
      .toEqual(['Own']);
    await page.getByRole('link', { name: 'Favourites' }).click();
    await page.getByText('You have no favourites yet').waitFor();
    await page.goto('/app/ada/shelf-03');
    await page.getByRole('button', { name: 'Favourite', pressed: false }).click();
    await page.getByRole('button', { name: 'Favourite', pressed: true }).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.goto('/app/?of=favourites');
    await expect
      .poll(() => page.getByRole('article').getByRole('heading').allTextContents())
      .toEqual(['shelf-03']);
  });
});

describe.skipIf(browserPath === null)('an operator', () => {
  const dashboard = useDashboard(['olga'], async (service) => {
    await changeUser(service.context, MACHINE, { userName: 'olga' }, { operator: true });
  });

  test('invites a person by a link that is shown once, and revokes another', async () => {
    const page = await dashboard.open('/app/-/admin/users', { userName: 'olga' });
    await page.getByLabel('E-mail address (optional)').fill('carl@example.org');
    await page.getByRole('button', { name: 'Create invitation' }).click();
    const link = await page.getByText(/\/sign-up\?invitation=/).textContent();
    expect(await findAccessibilityProblems(page)).toEqual([]);

    const carl = await dashboard.open(link?.trim() ?? '');
    expect(await carl.getByLabel('E-mail address').inputValue()).toBe('carl@example.org');
    await carl.getByLabel('User name').fill('carl');
    await carl.getByLabel('Password').fill('correct horse battery');
    await carl.getByRole('button', { name: 'Create account' }).click();
    await carl.getByRole('heading', { name: 'carl' }).waitFor();

    await page.getByRole('button', { name: 'Create invitation' }).click();
    const open = page.getByRole('list', { name: 'Open invitations' });
    await open.locator('strong', { hasText: 'Whoever has the link' }).waitFor();
    expect(await open.getByText('carl@example.org').count()).toBe(0);
    await open.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await expect.poll(() => open.count()).toBe(0);
  });

  test('creates an account, and reads what a wrong name must be until it is corrected', async () => {
    const page = await dashboard.open('/app/-/admin/users', { userName: 'olga' });
    await page.getByText('Create an account with a password').click();
    await page.getByLabel('User name').fill('Not A Name');
    await page.getByLabel('E-mail address', { exact: true }).fill('dora@example.org');
    await page.getByLabel('Password').fill('correct horse battery');
    const create = page.getByRole('button', { name: 'Create account' });
    await create.click();
    await page.getByText(/^Must be 1 to 39 lowercase letters, digits or hyphens[^/]*\.$/).waitFor();
    await page.getByLabel('User name').fill('dora');
    expect(await page.getByRole('alert').count()).toBe(0);
    await create.click();
    await page.getByText('The account dora is created.').waitFor();
    await page.getByRole('link', { name: 'dora' }).waitFor();
  });
});
