import { describe, test } from 'vitest';
import { publish } from '../../server/test/libraries/publish.ts';
import { browserPath, useDashboard } from './dashboard.ts';

describe.skipIf(browserPath === null)('keyboard users keep their place', () => {
  const dashboard = useDashboard(['ada'], async (service) => {
    const ada = await service.member('ada');
    for (const name of ['attic', 'garage', 'kitchen']) {
      await publish(ada, `ada/${name}`, { assets: [{ id: 'mug', files: { 'mug/mug.obj': 'v 0 0 0\n' } }] });
      if (name !== 'attic') await ada.delete(`/namespaces/ada/libraries/${name}`);
    }
  });

  test('on the button that copies a share link, once it has been created', async () => {
    const page = await dashboard.open('/app/ada/attic?tab=settings', { userName: 'ada' });
    await page.getByRole('button', { name: 'Create share link' }).press('Enter');
    const focused = page.locator(':focus');
    await page.getByRole('button', { name: 'Copy: Share link' }).and(focused).waitFor();
  });

  test('on the button that makes a library public, whose request disables it for a moment', async () => {
    const page = await dashboard.open('/app/ada/attic?tab=settings', { userName: 'ada' });
    await page.getByRole('button', { name: 'Make public' }).press('Enter');
    await page.getByRole('button', { name: 'Make private' }).and(page.locator(':focus')).waitFor();
  });

  test('in the Trash: the next library, and what says that it is empty after the last one', async () => {
    const page = await dashboard.open('/app/ada/-/trash', { userName: 'ada' });
    const focused = page.locator(':focus');
    const restore = page.getByRole('button', { name: /^Restore/ });
    await restore.nth(1).waitFor();
    const [first, second] = await Promise.all(
      [0, 1].map((index) => restore.nth(index).getAttribute('aria-label')),
    );
    await page.getByRole('button', { name: first ?? '' }).press('Enter');
    await page
      .getByRole('button', { name: second ?? '' })
      .and(focused)
      .waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Trash', exact: true }).and(focused).waitFor();
  });

  test('also where they press keys while the request is under way', async () => {
    const page = await dashboard.open('/app/ada/attic?tab=settings', { userName: 'ada' });
    const held = Promise.withResolvers<void>();
    await page.route('**/libraries/attic', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Make private' }).press('Enter');
    await page.getByRole('button', { name: 'Make private', disabled: true }).waitFor();
    await page.keyboard.press('Enter');
    held.resolve();
    await page.getByRole('button', { name: 'Make public' }).and(page.locator(':focus')).waitFor();
  });
});
