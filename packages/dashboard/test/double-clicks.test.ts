import type { Page, Request } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { publish } from '../../server/test/libraries/publish.ts';
import { browserPath, useDashboard } from './dashboard.ts';

describe.skipIf(browserPath === null)('a double click does what one click does', () => {
  const dashboard = useDashboard(['ada'], async (service) => {
    const ada = await service.member('ada');
    await publish(ada, 'ada/kitchen', { assets: [{ id: 'mug', files: { 'mug/mug.obj': 'v 0 0 0\n' } }] });
    await ada.post('/namespaces/ada/projects', { displayName: 'Plans', slug: 'plans' });
    await ada.post('/namespaces/ada/projects', { displayName: 'Other', slug: 'other' });
    await ada.post('/namespaces/ada/projects/plans/bindrs', { name: 'Bolts' });
    await ada.post('/namespaces/ada/projects/plans/bindrs', { name: 'Nuts' });
    await ada.post('/namespaces/ada/notes', { name: 'Sketch', projects: ['plans'] });
  });

  /** Opens a page on a machine that is busy, and returns it with the changes that it asks the service for. */
  async function openBusy(path: string): Promise<{ page: Page; changes: () => string[] }> {
    const page = await dashboard.open(path, { userName: 'ada' });
    await page.locator('main h1').waitFor();
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    const seen: string[] = [];
    page.on('request', (request: Request) => {
      const { pathname } = new URL(request.url());
      if (request.method() !== 'GET' && pathname !== '/app/session')
        seen.push(`${request.method()} ${pathname}`);
    });
    return { page, changes: () => seen };
  }

  /** Two clicks that follow each other faster than the page can be shown in between. */
  const twice = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).dblclick();

  /** Two clicks between which the service answers the first. */
  async function twiceSlowly(page: Page, name: string | RegExp): Promise<void> {
    const place = await page.getByRole('button', { name }).boundingBox();
    if (place === null) throw new Error(`There is no button ${name}.`);
    const [x, y] = [place.x + place.width / 2, place.y + place.height / 2];
    await page.mouse.click(x, y);
    await page.getByRole('button', { name }).waitFor({ state: 'detached' });
    await page.mouse.move(x, y);
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
  }

  test('on the button that creates a token', async () => {
    const { page, changes } = await openBusy('/app/-/account');
    await page.getByLabel('Name', { exact: true }).fill('lab');
    await twice(page, 'Create token');
    await page.getByText(/^bnd_/).waitFor();
    expect(changes()).toHaveLength(1);
  });

  test('on the button that creates a release', async () => {
    const { page, changes } = await openBusy('/app/ada/kitchen');
    await page.getByRole('link', { name: /^Releases/ }).click();
    await page.getByLabel('Name of the release').fill('v1');
    await twice(page, 'Create a release');
    await page.getByText('Revision 1 is now v1.').waitFor();
    expect(changes()).toHaveLength(1);
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  });

  test('on the buttons for a share link', async () => {
    const { page, changes } = await openBusy('/app/ada/kitchen');
    await page.getByRole('link', { name: 'Settings' }).click();
    await twice(page, 'Create share link');
    await page
      .getByText(/\?share=/)
      .first()
      .waitFor();
    expect(changes()).toHaveLength(1);
  });

  test('on the button that makes a library public, which is the one that makes it private afterwards', async () => {
    const { page, changes } = await openBusy('/app/ada/kitchen');
    await page.getByRole('link', { name: 'Settings' }).click();
    await twiceSlowly(page, 'Make public');
    await page.getByRole('button', { name: 'Make private' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Make private' }).waitFor();
    expect(changes()).toHaveLength(1);
  });

  test('on the project that a Note is filed in', async () => {
    const { page, changes } = await openBusy('/app/ada/-/notes');
    await page.getByRole('link', { name: 'Sketch' }).click();
    await page.getByRole('button', { name: /project/ }).click();
    await page.getByRole('treeitem', { name: 'Other' }).dblclick();
    await page.getByRole('link', { name: 'Other' }).waitFor();
    expect(changes()).toHaveLength(1);
  });
});
