import type { Response } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import {
  browserPath,
  findAccessibilityProblems,
  findTextSizes,
  openUntilIdle,
  type PageOptions,
  useDashboard,
} from './dashboard.ts';
import { PAGES, publishPages, routesOfRouter } from './pages.ts';
import { missingPolicy } from './response-policies.ts';

test('the list of tested pages covers every route of the router, and no others', () => {
  expect(Object.keys(PAGES).sort()).toEqual(routesOfRouter().sort());
});

const LOOKS = [320, 390, 768, 1280, 1920, 3840].flatMap((width): PageOptions[] => [
  { width, colorScheme: 'light' },
  { width, colorScheme: 'dark' },
]);

describe.skipIf(browserPath === null)('every page', () => {
  let pages: string[] = [];
  const dashboard = useDashboard(['pia'], async (service) => {
    pages = await publishPages(service);
  });

  test.each(LOOKS)(
    'passes accessibility checks with %j in five text sizes, and every response has its security headers',
    { timeout: 300_000 },
    async (look) => {
      const page = await dashboard.open('/app/', { ...look, userName: 'pia' });
      const responses: Response[] = [];
      page.on('response', (response) => responses.push(response));
      const faults: string[] = [];
      const sizes = new Set<string>();
      for (const path of [...pages, '/app/no/such/page/at/all']) {
        await openUntilIdle(page, path);
        for (const size of await findTextSizes(page)) sizes.add(size);
        faults.push(...(await findAccessibilityProblems(page)).map((fault) => `${path}: ${fault}`));
      }
      expect(faults).toEqual([]);
      expect(sizes.size, [...sizes].join(', ')).toBeLessThanOrEqual(5);
      const seen = responses.filter((response) => response.url().startsWith('http'));
      expect(seen.length).toBeGreaterThan(50);
      const lacking = await Promise.all(seen.map(missingPolicy));
      expect(lacking.filter((fault) => fault !== null)).toEqual([]);
    },
  );
});
