import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { publish } from '../libraries/publish.ts';
import { browserPath, openPage } from '../pages/browser.ts';
import { startService, type TestService } from '../service.ts';

const SCRIPT = '<script>document.title = "ran"; parent.postMessage("ran", "*")</script>';
const FILES = {
  'site/page.html': `<html><body>${SCRIPT}</body></html>`,
  'site/drawing.svg': `<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4">${SCRIPT}</svg>`,
  'site/page.xml': `<html xmlns="http://www.w3.org/1999/xhtml"><body>${SCRIPT}</body></html>`,
  'site/script.js': 'window.ran = true',
};

describe.skipIf(browserPath === null)('in Chromium, a file of a library', () => {
  let service: TestService;
  /** A page of another origin that uses the files. */
  const host = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>host</p>');
  });
  beforeAll(async () => {
    service = await startService();
    await once(host.listen(0, '127.0.0.1'), 'listening');
    const ada = await service.member('ada');
    await publish(ada, 'ada/site', { assets: [{ id: 'site', files: FILES }], visibility: 'public' });
  });
  afterAll(async () => {
    await service.close();
    host.close();
  });

  test('is no page: HTML, SVG and XML are downloaded and run nothing', async () => {
    const page = await openPage();
    for (const path of ['page.html', 'drawing.svg', 'page.xml']) {
      const download = page.waitForEvent('download');
      await page.goto(`${service.url}/raw/ada/site/site/${path}`).catch(() => {});
      expect((await download).suggestedFilename()).toBe(path);
      expect(await page.title()).not.toBe('ran');
    }
    await page.close();
  });

  test('is read by pages of other origins, and shown as a picture, but is no script to them', async () => {
    const page = await openPage();
    await page.goto(`http://127.0.0.1:${(host.address() as AddressInfo).port}`);
    const seen = await page.evaluate(async (base) => {
      const text = await (await fetch(`${base}/page.html`)).text();
      const load = (element: HTMLImageElement | HTMLScriptElement, src: string) =>
        new Promise((resolve) => {
          element.onload = () => resolve('loaded');
          element.onerror = () => resolve('refused');
          element.src = src;
          document.body.append(element);
        });
      return {
        text,
        picture: await load(document.createElement('img'), `${base}/drawing.svg`),
        script: await load(document.createElement('script'), `${base}/script.js`),
        ran: 'ran' in window,
      };
    }, `${service.url}/raw/ada/site/site`);
    expect(seen).toEqual({ text: FILES['site/page.html'], picture: 'loaded', script: 'refused', ran: false });
    await page.close();
  });
});
