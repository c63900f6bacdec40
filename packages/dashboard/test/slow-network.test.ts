import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { publish } from '../../server/test/libraries/publish.ts';
import { browserPath, useDashboard } from './dashboard.ts';

const CUBE = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';

describe.skipIf(browserPath === null)('an asset over a slow network', () => {
  const dashboard = useDashboard([], async (service) => {
    const picture = await sharp({ create: { width: 64, height: 48, channels: 3, background: '#804020' } })
      .png()
      .toBuffer();
    const pot = { id: 'pot', kind: 'mesh', entry: 'pot/pot.obj', files: { 'pot/pot.obj': CUBE } };
    await publish(await service.member('olga'), 'olga/pots', {
      visibility: 'public',
      assets: [{ ...pot, thumbnail: '.bindery/pot.png' }],
      generated: { '.bindery/pot.png': picture },
    });
  });

  test('says that it is loading for as long as its thumbnail stands in for it', async () => {
    const page = await dashboard.open('/app/');
    const held = Promise.withResolvers<void>();
    await page.route(/pot\.obj/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.goto(`${dashboard.service.url}/app/olga/pots/pot`);
    const stage = page.locator('[data-viewer=loading]');
    await stage.locator('img').waitFor();
    const loading = stage.getByText('Loading…').filter({ visible: true });
    await expect.poll(async () => (await loading.first().boundingBox())?.width ?? 0).toBeGreaterThan(20);
    held.resolve();
    await page.locator('[data-viewer=shown]').waitFor();
    await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
  });
});
