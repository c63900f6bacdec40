import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { publish, type WrittenAsset } from '../../server/test/libraries/publish.ts';
import { browserPath, useDashboard } from './dashboard.ts';

/** Returns the asset `id` with the thumbnail `.bindery/thumbs/<id>.png`. */
const shown = (id: string): WrittenAsset => ({
  id,
  title: id,
  kind: 'mesh',
  thumbnail: `.bindery/thumbs/${id}.png`,
  files: { [`${id}/model.obj`]: `v 0 0 0 # ${id}` },
});

describe.skipIf(browserPath === null)('thumbnails in lists', () => {
  const dashboard = useDashboard(['olga'], async (service) => {
    const photo = await sharp({ create: { width: 1600, height: 1200, channels: 3, background: '#a52' } })
      .png()
      .toBuffer();
    await publish(await service.member('olga'), 'olga/robots', {
      visibility: 'public',
      library: { title: 'Robots' },
      assets: [shown('arm'), shown('liar')],
      generated: {
        '.bindery/thumbs/arm.png': photo,
        '.bindery/thumbs/liar.png': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      },
    });
  });

  test.each([
    ['/app/', 'a library', 'Robots'],
    ['/app/olga/robots', 'an asset', 'arm'],
  ])('on %s, %s is shown with its 320-pixel thumbnail', async (path, _what, title) => {
    const page = await dashboard.open(path);
    const picture = page.getByRole('article').filter({ hasText: title }).locator('img');
    const source = () => picture.evaluate(({ currentSrc }: HTMLImageElement) => currentSrc);
    await expect.poll(source).toMatch(/\/thumbnails\/.*\/320\.webp\?/);
    await expect.poll(() => picture.evaluate(({ complete }: HTMLImageElement) => complete)).toBe(true);
    await expect
      .poll(() => picture.evaluate(({ naturalWidth }: HTMLImageElement) => naturalWidth))
      .toBeGreaterThan(0);
  });

  test('a picture whose small version cannot be fetched is shown in its original size', async () => {
    const page = await dashboard.open('/app/olga');
    await page.route('**/thumbnails/**', (route) => route.fulfill({ status: 404 }));
    await page.goto('/app/olga/robots');
    const picture = page.getByRole('article').filter({ hasText: 'arm' }).locator('img');
    await expect
      .poll(() => picture.evaluate(({ naturalWidth }: HTMLImageElement) => naturalWidth))
      .toBe(1600);
  });

  test('an asset whose thumbnail is not an image shows its kind as text', async () => {
    const page = await dashboard.open('/app/olga/robots');
    const card = page.getByRole('article').filter({ hasText: 'liar' });
    await expect.poll(() => card.locator('img').count()).toBe(0);
    await expect.poll(() => card.locator('a > span').textContent()).toBe('Mesh');
  });
});
