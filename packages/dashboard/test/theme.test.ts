import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { publish } from '../../server/test/libraries/publish.ts';
import { browserPath, openMenu, useDashboard } from './dashboard.ts';

const LIGHT = 'rgb(244, 245, 247)';
const DARK = 'rgb(20, 23, 28)';

const ground = (page: Page) => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');

async function choose(page: Page, theme: string): Promise<void> {
  await openMenu(page);
  await page.getByText(theme, { exact: true }).click();
  await page.keyboard.press('Escape');
}

describe.skipIf(browserPath === null)('the theme', () => {
  const dashboard = useDashboard(['ada'], async (service) => {
    const ada = await service.member('ada');
    await publish(ada, 'ada/parts', {
      visibility: 'public',
      assets: [
        {
          id: 'cube',
          kind: 'mesh',
          entry: 'cube/cube.obj',
          files: { 'cube/cube.obj': 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' },
        },
      ],
    });
  });

  test('that Ada chooses is shown at once in all of her tabs, and in the viewer', async () => {
    const page = await dashboard.open('/app/ada/parts/cube', { userName: 'ada' });
    const frame = page.frameLocator('iframe').locator('html');
    await expect.poll(() => frame.getAttribute('data-theme')).toBe('light');
    const other = await page.context().newPage();
    await other.goto('/app/');
    await other.getByRole('heading', { level: 1 }).waitFor();
    expect(await ground(page)).toBe(LIGHT);
    await choose(page, 'Dark');
    expect(await ground(page)).toBe(DARK);
    await expect.poll(() => ground(other)).toBe(DARK);
    await expect.poll(() => frame.getAttribute('data-theme')).toBe('dark');
    await choose(other, 'System');
    await expect.poll(() => ground(page)).toBe(LIGHT);
  });

  test('is that of documents before any script has run, on the pages of the service too', async () => {
    const page = await dashboard.open('/app/');
    await choose(page, 'Dark');
    await page.route('**/*.js', (route) => route.abort());
    await page.reload({ waitUntil: 'load' });
    expect(await ground(page)).toBe(DARK);
    await page.goto('/sign-in');
    expect(await ground(page)).toBe(DARK);
  });

  test('follows the system until one is chosen, which then holds', async () => {
    const page = await dashboard.open('/app/', { colorScheme: 'dark' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await ground(page)).toBe(DARK);
    await choose(page, 'Light');
    await page.reload();
    expect(await ground(page)).toBe(LIGHT);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await ground(page)).toBe(LIGHT);
  });
});

describe.skipIf(browserPath === null)('the header', () => {
  const dashboard = useDashboard(['ada'], async () => {});

  test.each([390, 1280, 1920, 3840])('begins and ends where the page does, at %i px', async (width) => {
    const page = await dashboard.open('/app/', { width, userName: 'ada' });
    const brand = await page.getByRole('banner').getByRole('link').first().boundingBox();
    const heading = await page.getByRole('heading', { level: 1 }).boundingBox();
    const menu = await page.getByRole('button', { name: 'ada Menu' }).boundingBox();
    expect(brand?.x).toBeCloseTo(heading?.x ?? 0, 1);
    const main = await page.getByRole('main').boundingBox();
    const padding = await page
      .getByRole('main')
      .evaluate((element) => Number.parseFloat(getComputedStyle(element).paddingRight));
    const end = ({ x = 0, width = 0 }) => x + width;
    expect(end(menu ?? {})).toBeCloseTo(end(main ?? {}) - padding, 1);
  });
});
