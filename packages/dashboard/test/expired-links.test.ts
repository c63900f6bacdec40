import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { publish } from '../../server/test/libraries/publish.ts';
import { browserPath, useDashboard } from './dashboard.ts';

const CUBE = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';

/** Longer than any URL of the service lasts by itself, in seconds. */
const LATER = 40 * 60;
const POTS = 60;
/** More than one page of hits. */
const BOWLS = 120;

describe.skipIf(browserPath === null)('a page that stays open for longer than its URLs last', () => {
  const dashboard = useDashboard([], async (service) => {
    const draw = (red: number) => {
      const background = { r: red, g: 80, b: 40 };
      return sharp({ create: { width: 64, height: 48, channels: 3, background } })
        .png()
        .toBuffer();
    };
    const pictures = await Promise.all(Array.from({ length: POTS }, (_, at) => draw(at)));
    const pot = (at: number) => ({
      id: `pot-${at}`,
      title: `Pot ${at}`,
      kind: 'mesh',
      entry: `pot-${at}/pot.obj`,
      thumbnail: `.bindery/thumbs/pot-${at}.png`,
      files: {
        [`pot-${at}/pot.obj`]: CUBE,
        [`pot-${at}/README.md`]: `${'It holds water.\n\n'.repeat(300)}![Side](side.png)\n`,
        [`pot-${at}/side.png`]: pictures[at] as Buffer,
      },
    });
    const pots = Array.from({ length: POTS }, (_, at) => pot(at));
    const olga = await service.member('olga');
    await publish(olga, 'olga/bowls', {
      visibility: 'public',
      assets: Array.from({ length: BOWLS }, (_, at) => ({
        id: `bowl-${String(at).padStart(3, '0')}`,
        title: `Bowl ${at}`,
        kind: 'mesh',
        thumbnail: `.bindery/thumbs/bowl-${at % POTS}.png`,
        files: { [`bowl-${at}/bowl.obj`]: `${CUBE}# ${at}` },
      })),
      generated: Object.fromEntries(
        pictures.map((picture, at) => [`.bindery/thumbs/bowl-${at}.png`, picture]),
      ),
    });
    await publish(olga, 'olga/pots', {
      visibility: 'public',
      assets: [...pots, { id: 'lid', kind: 'mesh', entry: 'lid/lid.obj', files: { 'lid/lid.obj': CUBE } }],
      generated: {
        '.bindery/source/README.md': `${'Pots.\n\n'.repeat(300)}![Side](pot-1/side.png)\n`,
        ...Object.fromEntries(pots.map(({ thumbnail }, at) => [thumbnail, pictures[at] as Buffer])),
      },
    });
  });

  /** Lets time pass for the service and the page. */
  async function wait(page: Page): Promise<void> {
    dashboard.service.advance(LATER);
    await page.clock.setFixedTime(Date.now() + LATER * 1_000);
  }

  const widthOf = (picture: Locator) =>
    picture.evaluate(({ naturalWidth }: HTMLImageElement) => naturalWidth);

  const clicks: [string, Parameters<Locator['click']>[0]][] = [
    ['one click', {}],
    ['a click of the middle button', { button: 'middle' }],
    ['a click with Ctrl', { modifiers: ['Control'] }],
  ];
  test.each(clicks)('still downloads a file with %s', async (_, how) => {
    const page = await dashboard.open('/app/olga/pots/pot-0');
    const link = page.getByRole('link', { name: 'Download pot-0/pot.obj' });
    await link.waitFor();
    await page.locator('[data-viewer=shown]').waitFor();
    await wait(page);
    const arrives = page.waitForEvent('download');
    await link.click(how);
    const download = await arrives;
    expect(download.suggestedFilename()).toBe('pot.obj');
    expect(await readFile(await download.path(), 'utf8')).toBe(CUBE);
  });

  test('has a fresh link to a file for the menu of the browser', async () => {
    const page = await dashboard.open('/app/olga/pots/lid');
    const link = page.getByRole('link', { name: 'Download lid/lid.obj' });
    await page.locator('[data-viewer=shown]').waitFor();
    const stale = await link.getAttribute('href');
    await wait(page);
    await link.hover();
    await expect.poll(() => link.getAttribute('href')).not.toBe(stale);
  });

  test('still shows the thumbnails further down', async () => {
    const page = await dashboard.open('/app/olga/pots');
    await page.getByRole('link', { name: 'Pot 0', exact: true }).waitFor();
    await wait(page);
    const last = page.getByRole('article').filter({ hasText: 'Pot 59' });
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 4_000);
        return last.count();
      })
      .toBe(1);
    await last.scrollIntoViewIfNeeded();
    await expect.poll(() => widthOf(last.locator('img'))).toBeGreaterThan(0);
  });

  test('still shows thumbnails of its first page, if the second was loaded in the meantime', async () => {
    const page = await dashboard.open('/app/olga/bowls');
    await page.getByRole('link', { name: 'Bowl 0', exact: true }).waitFor();
    const goTo = async (at: number, step: number) => {
      const bowl = page.getByRole('article').filter({ has: page.getByText(`Bowl ${at}`, { exact: true }) });
      await expect
        .poll(async () => {
          await page.mouse.wheel(0, step);
          return bowl.count();
        })
        .toBe(1);
      return bowl;
    };
    await wait(page);
    // At once, so that nothing in between is loaded.
    await goTo(BOWLS - 1, 100_000);
    const early = await goTo(40, -300);
    await early.scrollIntoViewIfNeeded();
    await expect.poll(() => widthOf(early.locator('img'))).toBeGreaterThan(0);
  });

  test.each(['/app/olga/pots?tab=readme', '/app/olga/pots/pot-2'])(
    'still shows the pictures at the end of the README: %s',
    async (path) => {
      const page = await dashboard.open(path);
      const picture = page.getByRole('region', { name: 'README' }).getByRole('img', { name: 'Side' });
      await picture.waitFor({ state: 'attached' });
      await wait(page);
      await picture.scrollIntoViewIfNeeded();
      await expect.poll(() => widthOf(picture)).toBe(64);
    },
  );
});
