import { AxeBuilder } from '@axe-core/playwright';
import { describe, expect, test } from 'vitest';
import { browserPath, useDashboard } from './dashboard.ts';
import { publishPages } from './pages.ts';

const ASSET = '/app/pia/parts/cube';

describe.skipIf(browserPath === null)('browser preferences', () => {
  const dashboard = useDashboard(['pia'], async (service) => {
    await publishPages(service);
  });

  test.each(['light', 'dark'] as const)(
    'an asset page and its viewer frame pass accessibility checks in %s mode',
    async (colorScheme) => {
      const page = await dashboard.open(ASSET, { colorScheme });
      await page.frameLocator('iframe').getByRole('button').first().waitFor();
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target}`))).toEqual(
        [],
      );
    },
  );

  test('pages run no animations if the user prefers reduced motion', async () => {
    const page = await dashboard.open('/app/pia');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    for (const path of ['/app/', '/app/pia/parts', '/app/pia']) {
      await page.goto(path);
      await page.locator('main h1').first().waitFor();
      await expect.poll(() => page.evaluate('document.getAnimations().length'), { message: path }).toBe(0);
    }
  });
});
