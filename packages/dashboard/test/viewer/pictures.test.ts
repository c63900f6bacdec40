import { readFile, stat, writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { goldenModels } from '../../../render/test/models/golden.ts';
import { difference } from '../../../render/test/pictures.ts';
import { ViewerTab } from './host.ts';

/**
 * `UPDATE_GOLDEN=1 npx vitest run packages/dashboard/test/viewer/pictures.test.ts` redraws the golden images; inspect
 * them before committing.
 */
const UPDATE = process.env.UPDATE_GOLDEN === '1';

/** The largest mean difference, out of 255, allowed in any block of the image. */
const TOLERANCE = 7;
const WIDTH = 360;
const MAX_BYTES = 20_000;

/** The golden models of the thumbnail tests, one for each viewer. */
const MODELS = ['mjcf', 'urdf', 'sdf', 'materials', 'collada', 'splats'];

let tab: ViewerTab;

beforeAll(async () => {
  tab = await ViewerTab.launch(560, 420);
});

afterAll(async () => {
  await tab?.close();
});

const models = (await goldenModels()).filter(({ name }) => MODELS.includes(name));

test.each(models)('the viewer shows $name like its golden image', async ({ name, kind, entry, files }) => {
  const opened = await tab.openFiles(kind, entry, Object.fromEntries(files));
  expect(opened).toMatchObject({ status: 'shown' });
  await expectLooks(name, await tab.takePicture());
});

test('the viewer shows an image file like its golden image', async () => {
  const picture = await sharp({ create: { width: 240, height: 160, channels: 3, background: '#c8502a' } })
    .composite([
      { input: { create: { width: 80, height: 80, channels: 3, background: '#2a6ac8' } }, left: 20, top: 40 },
    ])
    .png()
    .toBuffer();
  expect(await tab.openFiles('image', 'a.png', { 'a.png': picture })).toMatchObject({ status: 'shown' });
  await expectLooks('image', await tab.frame.locator('.picture').screenshot());
});

test('the tolerance distinguishes each golden image from every other', async () => {
  const kept = await Promise.all([...MODELS, 'image'].map((name) => readFile(golden(name))));
  for (const [at, one] of kept.entries()) {
    for (const other of kept.slice(at + 1))
      expect(await difference(one, other)).toBeGreaterThan(TOLERANCE * 2);
  }
});

async function expectLooks(name: string, png: Buffer): Promise<void> {
  const webp = await sharp(png)
    .flatten({ background: '#808080' })
    .resize({ width: WIDTH })
    .webp({ quality: 70 })
    .toBuffer();
  if (UPDATE) await writeFile(golden(name), webp);
  expect(await difference(webp, await readFile(golden(name)))).toBeLessThan(TOLERANCE);
  expect((await stat(golden(name))).size).toBeLessThanOrEqual(MAX_BYTES);
}

function golden(name: string): URL {
  return new URL(`golden/${name}.webp`, import.meta.url);
}
