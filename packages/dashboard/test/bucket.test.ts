import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { publish } from '../../server/test/libraries/publish.ts';
import { makeBucket, s3, type TestBucket } from '../../server/test/objects/s3/bucket.ts';
import { allowBrowsers } from '../../server/test/objects/s3/cors.ts';
import { browserPath, findAccessibilityProblems, useDashboard } from './dashboard.ts';
import { choose, folderWith } from './folders.ts';

const OBJ = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';
/** Too large for a bundle, so it is uploaded directly to the bucket. */
const LARGE = `${OBJ}# ${'x'.repeat(600 * 1024)}\n`;

describe.skipIf(browserPath === null || s3 === null)('the dashboard with its files in an S3 bucket', () => {
  let bucket: TestBucket;
  const dashboard = useDashboard(
    ['ada'],
    async (service) => {
      if (!s3) return;
      await allowBrowsers(s3, bucket, service.url);
      const picture = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'teal' } })
        .png()
        .toBuffer();
      await publish(await service.member('ada'), 'ada/shapes', {
        assets: [
          {
            id: 'cube',
            kind: 'mesh',
            entry: 'cube/cube.obj',
            thumbnail: 'cube/preview.png',
            files: { 'cube/cube.obj': LARGE, 'cube/preview.png': picture, 'cube/README.md': '# The cube\n' },
          },
        ],
      });
    },
    async () => {
      if (!s3) return null;
      bucket = await makeBucket(s3);
      const { endpoint, ...credentials } = s3;
      const location = { bucket: bucket.name, prefix: '', endpoint, region: 'us-east-1' };
      return {
        origin: endpoint,
        configuration: { s3: { ...location, credentials, cacheBytes: 2 ** 26 } },
      };
    },
  );

  /** Returns the methods of requests that reach the bucket from this call on. */
  function toBucket(page: Page): string[] {
    const methods: string[] = [];
    page.context().on('response', (response) => {
      if (s3 && response.url().startsWith(`${s3.endpoint}/`) && response.ok())
        methods.push(response.request().method());
    });
    return methods;
  }

  test('shows thumbnails, opens an asset with its README, and downloads its files', async () => {
    const page = await dashboard.open('/app/ada/shapes', { userName: 'ada' });
    const picture = page.getByRole('article').locator('img');
    await expect
      .poll(() => picture.evaluate(({ naturalWidth }: HTMLImageElement) => naturalWidth))
      .toBeGreaterThan(0);
    const sent = toBucket(page);
    await page.getByRole('article').getByRole('link').first().click();
    await page.locator('[data-viewer=shown]').waitFor();
    await page.getByRole('heading', { name: 'The cube' }).waitFor();
    expect(sent).toContain('GET');
    expect(await findAccessibilityProblems(page)).toEqual([]);

    await page.getByText('cube/', { exact: true }).waitFor();
    const download = page.waitForEvent('download');
    await page.getByLabel('Download cube/cube.obj').click();
    expect((await download).suggestedFilename()).toBe('cube.obj');
    expect(readFileSync(await (await download).path(), 'utf8')).toBe(LARGE);
    expect(page.url()).toContain('/app/ada/shapes/cube');
  });

  test('pushes a folder and uploads large files directly to the bucket', async () => {
    const page = await dashboard.open('/app/-/new', { userName: 'ada' });
    const sent = toBucket(page);
    await choose(page, folderWith({ 'scan/scan.obj': LARGE, 'mug/mug.obj': OBJ }, 'pushed'));
    await page.getByText('2 added').waitFor();
    await page.getByLabel('Generate thumbnails for models that have none').uncheck();
    await page.getByRole('button', { name: 'Publish library' }).click();
    await page.getByText('Published as revision 1.').waitFor();
    expect(sent).toContain('PUT');
    const ada = await dashboard.service.member('ada');
    const { body } = await ada.get('/namespaces/ada/libraries/pushed');
    expect(body).toMatchObject({ assetCount: 2, fileCount: 2 });
  });
});
