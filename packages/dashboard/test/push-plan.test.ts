import type { Manifest } from '@bindery/contract';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { publish } from '../../server/test/libraries/publish.ts';
import { browserPath, findAccessibilityProblems, useDashboard } from './dashboard.ts';
import { choose, folderWith } from './folders.ts';

const OBJ = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';
const cup = (at: number) => ({ [`cup-${at}/cup.obj`]: `${OBJ}# cup ${at}\n` });

describe.skipIf(browserPath === null)('the plan of a push', () => {
  const dashboard = useDashboard(['ada'], async (service) => {
    const ada = await service.member('ada');
    for (const name of ['shelf', 'taken']) {
      await publish(ada, `ada/${name}`, {
        assets: [0, 1, 2].map((at) => ({
          id: `cup-${at}`,
          kind: 'mesh',
          entry: `cup-${at}/cup.obj`,
          files: cup(at),
        })),
      });
    }
  });

  async function assetsOf(library: string): Promise<string[] | null> {
    const ada = await dashboard.service.member('ada');
    const { status, body } = await ada.get<Manifest>(`/namespaces/ada/libraries/${library}/manifest`);
    return status === 200 ? body.assets.map(({ id }) => id) : null;
  }

  const button = (page: Page) => page.getByRole('button', { name: 'Publish changes' });

  test.each([390, 1280])('is on the screen before the button that publishes it: %i px', async (width) => {
    const page = await dashboard.open('/app/ada/shelf/-/push', { userName: 'ada', width, height: 800 });
    const files = Object.assign({}, ...Array.from({ length: 30 }, (_, at) => cup(at + 3)));
    await choose(page, folderWith(files, 'more'));
    const counts = page.getByText('30 added');
    await counts.waitFor();
    const [plan, publishes] = [await counts.boundingBox(), await button(page).boundingBox()];
    if (plan === null || publishes === null) throw new Error('There is no plan, or no button.');
    expect(plan.y + plan.height).toBeLessThanOrEqual(publishes.y);
    expect(publishes.y + publishes.height).toBeLessThanOrEqual(800);
    expect(await findAccessibilityProblems(page)).toEqual([]);
  });

  test('has the focus, so that the keyboard goes on from there', async () => {
    const page = await dashboard.open('/app/ada/shelf/-/push', { userName: 'ada' });
    await choose(page, folderWith(cup(3), 'more'));
    await page.getByText('1 added').waitFor();
    await page.getByRole('radio', { name: /^The whole library/ }).press('Space');
    await page.getByText('3 removed').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Review changes');
    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Publish changes');
  });

  test('must be confirmed if it removes assets', async () => {
    const page = await dashboard.open('/app/ada/shelf/-/push', { userName: 'ada' });
    await choose(page, folderWith({ ...cup(0), ...cup(3) }, 'shelf'));
    await page.getByText('0 removed').waitFor();
    await page.getByRole('radio', { name: /^The whole library/ }).check();
    await page.getByText('2 removed').waitFor();
    await button(page).dblclick();
    const asked = page.getByRole('dialog', { name: 'Remove 2 assets?' });
    await asked.waitFor();
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await asked.getByRole('button', { name: 'Cancel' }).click();
    expect(await assetsOf('shelf')).toEqual(['cup-0', 'cup-1', 'cup-2']);
    await button(page).click();
    await asked.getByRole('button', { name: 'Publish changes' }).click();
    await page.getByText('Published as revision 2.').waitFor();
    expect(await assetsOf('shelf')).toEqual(['cup-0', 'cup-3']);
  });

  test('says that the library to create is there already', async () => {
    const page = await dashboard.open('/app/-/new', { userName: 'ada' });
    await choose(page, folderWith(cup(7), 'taken'));
    await page.getByText('There is a library ada/taken already.').waitFor();
    await page.getByLabel('Name of the library').fill('not-taken');
    await page.getByLabel('Name of the library').press('Enter');
    await page.getByRole('button', { name: 'Publish library' }).waitFor();
    await expect.poll(() => page.getByText(/There is a library/).count()).toBe(0);
  });

  test('says while the name is typed that it is taken, or why it cannot be one', async () => {
    const page = await dashboard.open('/app/-/new', { userName: 'ada' });
    await choose(page, folderWith(cup(7), 'free'));
    const name = page.getByLabel('Name of the library');
    await page.getByRole('button', { name: 'Publish library' }).waitFor();
    await name.fill('taken');
    await page.getByText('There is a library ada/taken already.').waitFor();
    await name.fill('Not A Name');
    await page.getByText('Use 1–64 lowercase letters').waitFor();
    expect(await page.getByRole('button', { name: /^Publish/ }).count()).toBe(0);
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await name.fill('a-name');
    await page.getByRole('button', { name: 'Publish library' }).waitFor();
    expect(await page.getByText('Use 1–64 lowercase letters').count()).toBe(0);
  });

  test('is published by one click, even right after the name was changed', async () => {
    const page = await dashboard.open('/app/-/new', { userName: 'ada' });
    await choose(page, folderWith(cup(8), 'hasty'));
    await page.getByRole('button', { name: 'Publish library' }).waitFor();
    await page.getByLabel('Name of the library').fill('hasty-2');
    await page.getByRole('button', { name: 'Publish library' }).click();
    await page.getByText('Published as revision 1.').waitFor();
    expect([await assetsOf('hasty-2'), await assetsOf('hasty')]).toEqual([['cup-8'], null]);
  });

  test('of a library that is there is not published by a click on the plan for another name', async () => {
    const page = await dashboard.open('/app/-/new', { userName: 'ada' });
    await choose(page, folderWith(cup(8), 'fresh'));
    await page.getByRole('button', { name: 'Publish library' }).waitFor();
    await page.getByLabel('Name of the library').fill('taken');
    await page.getByRole('button', { name: 'Publish library' }).click();
    await page.getByText('There is a library ada/taken already.').waitFor();
    await button(page).waitFor();
    expect(await assetsOf('taken')).toEqual(['cup-0', 'cup-1', 'cup-2']);
  });

  test('is the one for the name typed last, even if an earlier one takes longer', async () => {
    const page = await dashboard.open('/app/-/new', { userName: 'ada' });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let answered = 0;
    await page.context().route('**/libraries/early**', async (route) => {
      await held;
      const response = await route.fetch();
      answered++;
      // A request that the page no longer waits for is never fulfilled.
      void route.fulfill({ response }).catch(() => {});
    });
    const asked = page.context().waitForEvent('request', (request) => request.url().includes('/early'));
    await choose(page, folderWith(cup(8), 'early'));
    await asked;
    await page.getByLabel('Name of the library').fill('late');
    await page.getByLabel('Name of the library').press('Enter');
    await page.getByText('1 added').waitFor();
    release();
    await expect.poll(() => answered).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Publish library' }).click();
    await page.getByText('Published as revision 1.').waitFor();
    expect([await assetsOf('late'), await assetsOf('early')]).toEqual([['cup-8'], null]);
  });

  test('cannot be given another target while it is carried out', async () => {
    const page = await dashboard.open('/app/-/new', { userName: 'ada' });
    await choose(page, folderWith(cup(9), 'steady'));
    await page.getByText('1 added').waitFor();
    await page.context().route('**/upload-authorizations', () => new Promise(() => {}));
    await page.getByRole('button', { name: 'Publish library' }).click();
    await page.getByText('Sending…').waitFor();
    await expect.poll(() => page.getByLabel('Name of the library').isDisabled()).toBe(true);
    await expect.poll(() => page.getByLabel('Namespace').isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => page.getByLabel('Name of the library').isDisabled()).toBe(false);
  });
});
