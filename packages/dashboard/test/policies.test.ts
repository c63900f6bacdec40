import { AxeBuilder } from '@axe-core/playwright';
import type { Response } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { browserPath, settle, useDashboard } from './dashboard.ts';
import { publishPages } from './pages.ts';

const ASSET = '/app/pia/parts/cube';

describe.skipIf(browserPath === null)('what every page keeps to', () => {
  let pages: string[] = [];
  const dashboard = useDashboard(['pia'], async (service) => {
    pages = await publishPages(service);
  });

  test('every response has a policy, and each document its own', async () => {
    const page = await dashboard.open('/app/', { userName: 'pia' });
    const responses: Response[] = [];
    page.on('response', (response) => responses.push(response));
    for (const path of [...pages, '/app/no/such/page/at/all']) {
      await page.goto(path);
      await page.locator('main h1').first().waitFor();
      await settle(page);
    }
    const seen = responses.filter((response) => response.url().startsWith('http'));
    expect(seen.length).toBeGreaterThan(50);
    const faults = await Promise.all(seen.map(faultOf));
    expect(faults.filter((fault) => fault !== null)).toEqual([]);
  });

  test.each(['light', 'dark'] as const)(
    'an asset is sound in %s, the frame that shows it too',
    async (colorScheme) => {
      const page = await dashboard.open(ASSET, { colorScheme });
      await page.frameLocator('iframe').getByRole('button').first().waitFor();
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target}`))).toEqual(
        [],
      );
    },
  );

  test('who wants little motion gets none from the style sheets', async () => {
    const page = await dashboard.open('/app/pia');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    for (const path of ['/app/', '/app/pia/parts', '/app/pia']) {
      await page.goto(path);
      await page.locator('main h1').first().waitFor();
      await expect.poll(() => page.evaluate('document.getAnimations().length'), { message: path }).toBe(0);
    }
  });
});

/** What the app's documents promise, whatever else they allow themselves. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self';",
  "require-trusted-types-for 'script'",
  "frame-ancestors 'none'",
];

/** Which policy a response lacks; null where it has all that it should. */
async function faultOf(response: Response): Promise<string | null> {
  const { pathname } = new URL(response.url());
  const headers = await response.allHeaders();
  const policy = headers['content-security-policy'] ?? '';
  if (headers['x-content-type-options'] !== 'nosniff') return `${pathname}: no nosniff`;
  if (pathname === '/app/viewer.html') {
    const isClosed = policy.startsWith('sandbox allow-scripts;') && !/https?:|'unsafe/.test(policy);
    return isClosed ? null : `${pathname}: ${policy}`;
  }
  if (pathname.startsWith('/app/assets/')) {
    return headers['cache-control']?.includes('immutable') ? null : `${pathname}: not kept`;
  }
  if (response.request().resourceType() === 'document') {
    const isApp = POLICY.every((rule) => policy.includes(rule)) && !policy.includes('unsafe');
    return isApp ? null : `${pathname}: ${policy}`;
  }
  return policy.includes("default-src 'none'") ? null : `${pathname}: ${policy}`;
}
