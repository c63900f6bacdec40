import { describe, expect, test } from 'vitest';
import { LONG_FAULTS } from '../../../test/faults.ts';
import { browserPath, faultsOf, type Look, settle, useDashboard } from './dashboard.ts';
import { PAGES, publishPages, routesOfRouter } from './pages.ts';

test('every route has a page in the list, and the list has no other', () => {
  expect(Object.keys(PAGES).sort()).toEqual(routesOfRouter().sort());
});

const LOOKS: Look[] = [
  { width: 320, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  ...(LONG_FAULTS
    ? ([
        { width: 320, colorScheme: 'dark' },
        { width: 1280, colorScheme: 'light' },
        { width: 3840, height: 2160, colorScheme: 'light' },
      ] satisfies Look[])
    : []),
];

describe.skipIf(browserPath === null)('every page', () => {
  let pages: string[] = [];
  const dashboard = useDashboard(['pia'], async (service) => {
    pages = await publishPages(service);
  });

  test.each(LOOKS)('is sound with %j', { timeout: 300_000 }, async (look) => {
    const page = await dashboard.open('/app/', { ...look, userName: 'pia' });
    const faults: string[] = [];
    for (const path of pages) {
      await page.goto(path);
      await page.locator('main h1').first().waitFor();
      await settle(page);
      faults.push(...(await faultsOf(page)).map((fault) => `${path}: ${fault}`));
    }
    expect(faults).toEqual([]);
  });
});
