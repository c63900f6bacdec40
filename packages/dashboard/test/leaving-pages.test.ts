import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { publish } from '../../server/test/libraries/publish.ts';
import { browserPath, useDashboard } from './dashboard.ts';
import { pixelPng } from './viewer/models.ts';

const CUBE = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';

/** A GIF whose bytes are valid text, because the tests' files are strings. */
const PIXEL = 'GIF89a\u0001\0\u0001\0\0\0\0,\0\0\0\0\u0001\0\u0001\0\0\u0002\u0002D\u0001\0;';

/** Measures of Chromium of what a page holds. */
const HELD = new Set(['Documents', 'Frames', 'JSEventListeners', 'Nodes']);

/** Counts the object URLs that the page has not revoked. */
const COUNT_OBJECT_URLS = `
  const { createObjectURL, revokeObjectURL } = URL;
  window.objectUrls = new Set();
  URL.createObjectURL = (content) => {
    const url = createObjectURL.call(URL, content);
    window.objectUrls.add(url);
    return url;
  };
  URL.revokeObjectURL = (url) => {
    window.objectUrls.delete(url);
    revokeObjectURL.call(URL, url);
  };
`;

describe.skipIf(browserPath === null)('leaving the page of an asset', () => {
  const dashboard = useDashboard([], async (service) => {
    const cup = (at: number) => ({
      id: `cup-${at}`,
      title: `Cup ${at}`,
      kind: 'mesh',
      entry: `cup-${at}/cup.obj`,
      thumbnail: '.bindery/cup.png',
      files: { [`cup-${at}/cup.obj`]: `${CUBE}# ${at}\n`, [`cup-${at}/side.gif`]: PIXEL },
    });
    await publish(await service.member('olga'), 'olga/cups', {
      visibility: 'public',
      library: { title: 'Cups' },
      assets: [0, 1, 2].map(cup),
      generated: { '.bindery/cup.png': pixelPng(200, 40, 0, 255) },
    });
  });

  const library = (page: Page) => page.getByRole('heading', { name: 'Cups', level: 1 });

  test('abandons a download that it has begun', async () => {
    const page = await dashboard.open('/app/olga/cups');
    await page.getByRole('link', { name: 'Cup 0' }).click();
    await page.locator('[data-viewer=shown]').waitFor();
    const open = new Set<string>();
    page.on('requestfailed', (request) => open.delete(request.url()));
    await page.route('**/storage/**', (route) => {
      open.add(route.request().url());
    });
    await page.getByRole('tab', { name: 'Download' }).click();
    await page.getByRole('button', { name: /^Download all/ }).click();
    await expect.poll(() => open.size).toBe(2);
    await page.goBack();
    await library(page).waitFor();
    await expect.poll(() => open.size).toBe(0);
  });

  test('releases its frame, its object URLs, its elements and what it listened to', async () => {
    const page = await dashboard.open('/app/olga');
    await page.addInitScript(COUNT_OBJECT_URLS);
    await page.goto('/app/olga/cups');
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    const visit = async (at: number) => {
      await page.getByRole('link', { name: `Cup ${at}` }).click();
      await page.locator('[data-viewer=shown]').waitFor();
      await page.getByRole('button', { name: 'side.gif', exact: true }).click();
      await page.getByRole('img', { name: `cup-${at}/side.gif` }).waitFor();
      await page.goBack();
      await library(page).waitFor();
      // The frame is removed once it draws nothing any more.
      await expect.poll(() => page.frames().length).toBe(1);
    };
    const held = async () => {
      await session.send('HeapProfiler.collectGarbage');
      const { metrics } = await session.send('Performance.getMetrics');
      const kept = metrics.filter(({ name }) => HELD.has(name));
      return [
        ...kept.map(({ value }) => value),
        await page.evaluate('objectUrls.size'),
        page.frames().length,
      ];
    };
    for (const at of [0, 1, 2]) await visit(at);
    const before = await held();
    for (const at of [0, 1, 2]) await visit(at);
    const grown = async () => (await held()).filter((count, at) => Number(count) > Number(before[at]));
    await expect.poll(grown).toEqual([]);
    expect(before.slice(HELD.size)).toEqual([0, 1]);
  });
});
