import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { publish } from '../../server/test/libraries/publish.ts';
import { openPage } from '../../server/test/pages/browser.ts';
import { startService, type TestService } from '../../server/test/service.ts';
import { dashboardFolder } from '../src/folder.ts';
import { browserPath } from './dashboard.ts';

const CUBE = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n';
const PARTS = {
  assets: [
    { id: 'cube', title: 'A cube', kind: 'mesh' as const, entry: 'cube.obj', files: { 'cube.obj': CUBE } },
  ],
};

describe.skipIf(browserPath === null)('an asset in a frame of another site', () => {
  let service: TestService;
  let site: Server;
  let shareToken: string | null | undefined;
  let page: Page;

  beforeAll(async () => {
    service = await startService({
      dashboardFolder: await dashboardFolder(),
      configuration: { embedOrigins: 'any' },
    });
    const pia = await service.member('pia');
    await publish(pia, 'pia/parts', { ...PARTS, visibility: 'public' });
    await pia.post('/namespaces/pia/libraries/parts/releases', { name: 'v1' });
    ({ shareToken } = await publish(pia, 'pia/secret', { ...PARTS, share: true }));
    site = createServer(({ url = '' }, response) => {
      const framed = decodeURIComponent(url.slice(1));
      response.setHeader('content-type', 'text/html');
      response.end(
        `<!doctype html><title>Wiki</title><iframe src="${service.url}${framed}" width="640" height="480"></iframe>`,
      );
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    site?.close();
    await service?.close();
  });
  afterEach(() => page.context().close());

  /** Opens a page of the site, which has a path of the service in a frame. Its name is not that of the service. */
  async function openSite(framed: string): Promise<void> {
    page = await openPage({ viewport: { width: 800, height: 600 } });
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/${encodeURIComponent(framed)}`);
  }

  const shown = () => page.frameLocator('iframe').locator('[data-viewer="shown"]');

  test.each(['/app/embed/pia/parts/cube', '/app/embed/pia/parts@v1/cube'])(
    'at %s is shown alone, over all of the frame, with a link to its page',
    async (framed) => {
      await openSite(framed);
      await shown().waitFor();
      const frame = page.frameLocator('iframe');
      expect(await frame.locator('main').evaluate((main) => [main.clientWidth, main.clientHeight])).toEqual([
        640, 480,
      ]);
      expect(await shown().evaluate((stage) => stage.clientHeight)).toBeGreaterThan(440);
      expect(await frame.locator('header').count()).toBe(0);
      const link = frame.getByRole('link', { name: 'A cube' });
      const release = framed.includes('@') ? '?release=v1' : '';
      expect(await link.getAttribute('href')).toBe(`/app/pia/parts/cube${release}`);
      expect(await link.getAttribute('target')).toBe('_blank');
    },
  );

  test('is put there with the code that its page gives', async () => {
    page = await openPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(`${service.url}/app/pia/parts/cube?release=v1`);
    await page.getByRole('button', { name: 'Embed' }).click();
    const code = page.getByRole('dialog').locator('code');
    await code.waitFor();
    expect(await code.textContent()).toContain(`<iframe src="${service.url}/app/embed/pia/parts@v1/cube"`);
  });

  test('of a private library is shown with its share token', async () => {
    await openSite(`/app/embed/pia/secret/cube?share=${shareToken}`);
    await shown().waitFor();
  });

  test.each(['/app/embed/pia/secret/cube', '/app/pia/parts/cube', '/app/', '/account'])(
    'never is %s',
    async (framed) => {
      await openSite(framed);
      await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/);
    },
  );
});
