import { withTurntable } from '@bindery/formats/images/turntable';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { publish, type WrittenAsset } from '../../server/test/libraries/publish.ts';
import { browserPath, findAccessibilityProblems, useDashboard } from './dashboard.ts';

/** Returns the asset `id` with the thumbnail `.bindery/thumbs/<id>.png`. */
const shown = (id: string): WrittenAsset => ({
  id,
  title: id,
  kind: 'mesh',
  thumbnail: `.bindery/thumbs/${id}.png`,
  files: { [`${id}/model.obj`]: `v 0 0 0 # ${id}` },
});

const TURNING = '.bindery/thumbs/turning.webp';

/** A grey thumbnail with a turntable of two coloured pictures. */
async function turningThumbnail(color = '#8888'): Promise<Uint8Array> {
  const frame = (background: string) =>
    sharp({ create: { width: 64, height: 64, channels: 4, background } })
      .raw()
      .toBuffer();
  const [still = '', ...turned] = await Promise.all([color, '#a008', '#0a08'].map(frame));
  const raw = { width: 64, height: 128, channels: 4, pageHeight: 64 } as const;
  const turntable = await sharp(Buffer.concat(turned), { raw }).webp({ loop: 0 }).toBuffer();
  return withTurntable(
    await sharp(still, { raw: { width: 64, height: 64, channels: 4 } })
      .webp()
      .toBuffer(),
    turntable,
  );
}

describe.skipIf(browserPath === null)('thumbnails in lists', () => {
  const dashboard = useDashboard(['olga'], async (service) => {
    const photo = await sharp({ create: { width: 1600, height: 1200, channels: 3, background: '#a52' } })
      .png()
      .toBuffer();
    await publish(await service.member('olga'), 'olga/robots', {
      visibility: 'public',
      library: { title: 'Robots' },
      assets: [shown('arm'), shown('liar'), { ...shown('turning'), thumbnail: TURNING }],
      generated: {
        '.bindery/thumbs/arm.png': photo,
        [TURNING]: await turningThumbnail(),
        '.bindery/thumbs/liar.png': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      },
    });
  });

  test('a library shows four pictures of its assets, which keep their room, until a cover is chosen', async () => {
    const olga = await dashboard.service.member('olga');
    const ids = ['ant', 'bee', 'cat', 'dog', 'eel'];
    const grey = (light: number) => ({ r: light, g: light, b: light });
    const pictures = ids.map(async (id, at): Promise<[string, Uint8Array]> => {
      const create = { width: 400, height: 300, channels: 3 as const, background: grey(40 * (at + 1)) };
      return [`.bindery/thumbs/${id}.png`, await sharp({ create }).png().toBuffer()];
    });
    await publish(olga, 'olga/zoo', {
      visibility: 'public',
      library: { title: 'Zoo' },
      assets: ids.map(shown),
      generated: Object.fromEntries(await Promise.all(pictures)),
    });
    const page = await dashboard.open('/app/');
    const card = (title: string) => page.getByRole('article').filter({ hasText: title });
    const shownSources = () =>
      card('Zoo')
        .locator('img')
        .evaluateAll((all: HTMLImageElement[]) =>
          all.map((one) => (one.naturalWidth > 0 ? one.currentSrc : 'nothing yet')),
        );
    const small = expect.stringMatching(/\/thumbnails\/.*\/160\.webp\?/);
    await expect.poll(shownSources).toEqual([small, small, small, small]);
    expect(new Set(await shownSources()).size).toBe(4);
    const heights = async (title: string) => (await card(title).boundingBox())?.height;
    expect(await heights('Zoo')).toBe(await heights('Robots'));
    expect(await findAccessibilityProblems(page)).toEqual([]);
    await olga.post('/namespaces/olga/libraries/zoo', { cover: 'dog' });
    await page.reload();
    await expect.poll(async () => (await shownSources()).length).toBe(1);
    await olga.post('/namespaces/olga/libraries/zoo', { visibility: 'private' });
    await page.reload();
    await card('Robots').waitFor();
    expect(await card('Zoo').count()).toBe(0);
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

  describe('what was drawn of a model', () => {
    const turntables = (page: Page) => {
      const asked: string[] = [];
      page.on('request', (request) => {
        if (request.url().includes('/turntable.webp')) asked.push(request.url());
      });
      return asked;
    };
    const openCards = async () => {
      const page = await dashboard.open('/app/olga/robots');
      const card = page.getByRole('article').filter({ hasText: 'turning' });
      await expect.poll(() => card.locator('img').count()).toBe(1);
      return { page, card, asked: turntables(page), pictures: card.locator('img') };
    };

    test('turns while its card is pointed at, and is not fetched before', async () => {
      const { page, card, asked, pictures } = await openCards();
      expect(asked).toEqual([]);
      await card.hover();
      await expect.poll(() => pictures.count()).toBe(2);
      await expect
        .poll(() => pictures.first().evaluate(({ complete }: HTMLImageElement) => complete))
        .toBe(true);
      expect(asked).toHaveLength(1);
      await page.mouse.move(0, 0);
      await expect.poll(() => pictures.count()).toBe(1);
    });

    test('turns once in the card of a library that shows four', async () => {
      const turning = ['#1118', '#2228', '#3338', '#4448'].map(
        async (color, at) => [`.bindery/thumbs/${at}.webp`, await turningThumbnail(color)] as const,
      );
      const generated = Object.fromEntries(await Promise.all(turning));
      await publish(await dashboard.service.member('olga'), 'olga/circus', {
        visibility: 'public',
        library: { title: 'Circus' },
        assets: Object.keys(generated).map((thumbnail, at) => ({ ...shown(`act-${at}`), thumbnail })),
        generated,
      });
      const page = await dashboard.open('/app/');
      const card = page.getByRole('article').filter({ hasText: 'Circus' });
      await expect.poll(() => card.locator('img').count()).toBe(4);
      const asked = turntables(page);
      await card.hover();
      await expect.poll(() => card.locator('img').count()).toBe(5);
      await page.mouse.move(0, 0);
      await expect.poll(() => card.locator('img').count()).toBe(4);
      expect(asked).toHaveLength(1);
    });

    test('turns while its card has the focus by keyboard', async () => {
      const { page, card, pictures } = await openCards();
      await card.getByRole('link', { name: 'turning' }).focus();
      await page.keyboard.press('Shift');
      await expect.poll(() => pictures.count()).toBe(2);
    });

    test('does not turn for who prefers less motion, nor under a finger', async () => {
      const { page, card, asked } = await openCards();
      await card.dispatchEvent('pointerenter', { pointerType: 'touch' });
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await card.hover();
      await page.waitForTimeout(500);
      expect(asked).toEqual([]);
    });
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
