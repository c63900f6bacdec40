import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { MACHINE } from '../../server/src/access/viewer.ts';
import { changeUser } from '../../server/src/administration/users.ts';
import { publish } from '../../server/test/libraries/publish.ts';
import { browserPath, findAccessibilityProblems, useDashboard } from './dashboard.ts';

const ASSETS = [{ id: 'mug', files: { 'mug/mug.obj': 'v 0 0 0\n' } }];
const HOSTILE = '<img src=x onerror=alert(1)>';
const RENAMES = 60;

describe.skipIf(browserPath === null)('the audit log', () => {
  const dashboard = useDashboard(['ada', 'bo', 'olga', 'stranger'], async (service) => {
    await changeUser(service.context, MACHINE, { userName: 'olga' }, { operator: true });
    const ada = await service.member('ada');
    for (let at = 0; at < RENAMES; at++) {
      await ada.patch('/namespaces/ada', { displayName: `${HOSTILE} ${at}` });
    }
    await ada.put('/namespaces/ada/members/bo', { role: 'member' });
    await publish(ada, 'ada/kitchen', { assets: ASSETS });
    await ada.post('/namespaces/ada/libraries/kitchen/releases', { name: 'v1' });
    await ada.post('/namespaces/ada/projects', { displayName: 'Lab' });
    await publish(await service.member('bo'), 'bo/robots', { assets: ASSETS });
  });
  const lines = (page: Page) => page.getByRole('region', { name: 'Audit log' }).getByRole('listitem');

  test('shows owners who did what, when and from which IP address, and links to it', async () => {
    const page = await dashboard.open('/app/ada', { userName: 'ada' });
    await page.getByRole('link', { name: 'Audit log' }).click();
    await expect.poll(() => lines(page).count()).toBe(50);
    const release = lines(page).filter({ hasText: 'Release created' });
    await expect.poll(() => release.textContent()).toMatch(/ada.*\d{4}.*127\.0\.0\.1/);
    await expect.poll(() => page.getByText('robots').count()).toBe(0);
    await page.getByRole('button', { name: 'Older entries' }).click();
    await expect.poll(() => lines(page).count()).toBe(RENAMES + 4);
    await release.getByRole('link', { name: 'kitchen@v1' }).click();
    await page.waitForURL('**/app/ada/kitchen?release=v1');
    await page.getByText('This is release v1.').waitFor();
  });

  test('is filtered by user, action and day from the keyboard, and keeps the filters in the URL', async () => {
    const page = await dashboard.open('/app/ada/-/audit', { userName: 'ada' });
    await page.getByLabel('Action').selectOption('member.set');
    await page.getByLabel('User').fill('ada');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/app/ada/-/audit?user=ada&action=member.set');
    await expect.poll(() => lines(page).count()).toBe(1);
    await lines(page).getByText('role member').waitFor();
    await lines(page).getByRole('link', { name: 'bo' }).press('Enter');
    await page.waitForURL('**/app/ada/-/members');
    await page.goBack();
    await lines(page).getByText('role member').waitFor();
    await page.getByLabel('User').fill('bo');
    await page.keyboard.press('Enter');
    await page.getByText('No entry matches all of these.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => lines(page).count()).toBe(50);

    const today = await page.evaluate<string>("new Date().toLocaleDateString('sv')");
    // Midnight may have passed since the project was created.
    const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10);
    await page.goto(`/app/ada/-/audit?action=project.create&from=${yesterday}&to=${today}`);
    await expect.poll(() => lines(page).count()).toBe(1);
    await page.getByLabel('To', { exact: true }).fill('2020-01-01');
    await page.keyboard.press('Enter');
    await page.getByText('No entry matches all of these.').waitFor();
    await page.goto('/app/ada/-/audit?user=No%20Body&from=2026-02-30&action=nothing');
    await expect.poll(() => lines(page).count()).toBe(50);
  });

  test('of the whole service lets operators filter by namespace, and links to accounts and namespaces', async () => {
    const page = await dashboard.open('/app/-/admin', { userName: 'olga' });
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByLabel('Namespace', { exact: true }).fill('bo');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/app/-/admin/audit?namespace=bo');
    const register = lines(page).filter({ hasText: 'Library published' });
    await register.getByText('robots').waitFor();
    await expect.poll(() => register.getByRole('link').allTextContents()).toEqual(['bo', 'bo']);
    await register.getByRole('link').first().click();
    await page.waitForURL('**/app/-/admin/namespaces/bo');
  });

  test.each([
    { width: 320, colorScheme: 'dark', path: '/app/ada/-/audit', userName: 'ada' },
    { width: 1280, colorScheme: 'light', path: '/app/-/admin/audit', userName: 'olga' },
  ] as const)('passes accessibility checks at $width px, $colorScheme: $path', async ({ path, ...look }) => {
    const page = await dashboard.open(path, look);
    await lines(page).first().waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('shows an error to members, and is hidden from everyone else', async () => {
    const member = await dashboard.open('/app/ada/-/audit', { userName: 'bo' });
    await member.getByRole('alert').getByRole('heading', { name: 'No access' }).waitFor();
    expect(await member.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await member.goto('/app/ada');
    await member.getByRole('link', { name: 'Trash' }).waitFor();
    await expect.poll(() => member.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
    const stranger = await dashboard.open('/app/bo/-/audit', { userName: 'stranger' });
    await stranger.getByRole('heading', { name: 'Not found' }).waitFor();
    await stranger.goto('/app/-/admin/audit');
    await stranger.getByRole('heading', { name: 'Not found' }).waitFor();
  });
});
