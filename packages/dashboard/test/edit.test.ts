import { describe, expect, test } from 'vitest';
import { publish } from '../../server/test/libraries/publish.ts';
import { browserPath, findAccessibilityProblems, useDashboard } from './dashboard.ts';

describe.skipIf(browserPath === null)('editing details', () => {
  const dashboard = useDashboard(['ada', 'stranger'], async (service) => {
    const ada = await service.member('ada');
    await publish(ada, 'ada/kitchen', {
      visibility: 'public',
      library: { title: 'Kitchen' },
      assets: [{ id: 'mug', title: 'Mug', tags: ['cup'], files: { 'mug/mug.obj': 'v 0 0 0\n' } }],
    });
  });

  test('changes an asset and shows the new title at once', async () => {
    const page = await dashboard.open('/app/ada/kitchen/mug', { userName: 'ada' });
    await page.getByText('Edit details').click();
    await page.getByRole('textbox', { name: 'Title' }).fill('<b>The mug</b>');
    await page.getByLabel('Tags, separated by commas').fill('cup, blue , cup');
    await page.getByLabel(/^Licence/).fill('MIT');
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: '<b>The mug</b>' }).waitFor();
    const ada = await dashboard.service.member('ada');
    const { body } = await ada.get('/namespaces/ada/libraries/kitchen/assets/mug');
    expect(body).toMatchObject({ title: '<b>The mug</b>', tags: ['cup', 'blue'], license: 'MIT' });
  });

  test('of a library reports a change made in another tab, and overwrites it only on request', async () => {
    const page = await dashboard.open('/app/ada/kitchen', { userName: 'ada' });
    const other = await page.context().newPage();
    await other.goto('/app/ada/kitchen');
    for (const [tab, title] of [
      [page, 'Mine'],
      [other, 'Theirs'],
    ] as const) {
      await tab.getByRole('link', { name: 'Settings' }).click();
      await tab.getByRole('textbox', { name: 'Title' }).fill(title);
    }
    await other.getByRole('button', { name: 'Save' }).click();
    await other.getByRole('heading', { name: 'Theirs', level: 1 }).waitFor();

    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/Somebody else changed this in the meantime: title is now "Theirs"/).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Keep mine anyway' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Mine', level: 1 }).waitFor();
  });

  test('publishes nothing that did not change, says what it saved, and asks about a licence before', async () => {
    const ada = await dashboard.service.member('ada');
    await publish(ada, 'ada/shed', {
      library: { title: 'Shed' },
      assets: [{ id: 'rake', files: { 'rake/rake.obj': 'v 0 0 0\n' } }],
    });
    const revision = async () =>
      (await ada.get<{ revision: number }>('/namespaces/ada/libraries/shed')).body.revision;
    const first = await revision();
    const page = await dashboard.open('/app/ada/shed?tab=settings', { userName: 'ada' });
    const save = page.getByRole('button', { name: 'Save' });
    await save.click();
    await page.getByText('Nothing has changed.').waitFor();
    expect(await revision()).toBe(first);
    await page.getByLabel(/^Licence/).fill('cc by 4');
    await save.click();
    await page.getByText('Save again to keep “cc by 4”.').waitFor();
    expect(await revision()).toBe(first);
    await page.getByRole('button', { name: 'CC-BY-4.0' }).click();
    await save.click();
    await page.getByText('Saved.').waitFor();
    expect(await revision()).toBe(first + 1);
    const { body } = await ada.get('/namespaces/ada/libraries/shed');
    expect(body).toMatchObject({ license: 'CC-BY-4.0' });
    await save.and(page.locator(':focus')).waitFor();
  });

  test('is offered only to members', async () => {
    const page = await dashboard.open('/app/ada/kitchen', { userName: 'stranger' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('link', { name: 'History' }).waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'Settings' }).count()).toBe(0);
    await page.goto('/app/ada/kitchen?tab=settings');
    await page.getByRole('link', { name: /^(Mug|<b>The mug<.b>)$/ }).waitFor();
    await expect.poll(() => page.getByRole('textbox').count()).toBe(0);
    await expect.poll(() => page.getByRole('link', { name: 'Push a folder' }).count()).toBe(0);
  });

  test.each([
    { colorScheme: 'light', width: 320 },
    { colorScheme: 'dark', width: 1280 },
  ] as const)('passes accessibility checks: $colorScheme, $width px', async (look) => {
    const page = await dashboard.open('/app/ada/kitchen?tab=settings', { ...look, userName: 'ada' });
    await page.getByRole('textbox', { name: 'Title' }).waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });
});
