import { describe, expect, test } from 'vitest';
import { memoryFiles } from '../src/index.ts';
import { renderThumbnail } from '../src/thumbnail.ts';
import { cloudSamples, everySample } from './models/samples.ts';
import { decode, isGreen, isRed, isSolid, measurePixels } from './pictures.ts';

describe.each(await everySample())('$name', ({ kind, entry, files, colored }) => {
  test('is drawn whole and upright', async () => {
    const picture = await decode(await renderThumbnail({ kind, entry, files: memoryFiles(files) }));
    expect([picture.width, picture.height]).toEqual([640, 640]);

    const solid = measurePixels(picture, isSolid);
    expect(solid.count).toBeGreaterThan(30_000);
    if (kind !== 'image') expect(solid.border).toBe(0);
    if (colored) {
      const [tower, base] = [measurePixels(picture, isRed), measurePixels(picture, isGreen)];
      expect(tower.count).toBeGreaterThan(8_000);
      expect(base.count).toBeGreaterThan(8_000);
      expect(tower.row).toBeLessThan(base.row - 0.15);
    } else {
      expect(solid.row).toBeGreaterThan(0.55);
    }
  });
});

test.each(cloudSamples())('$name is drawn in its colours', async ({ entry, files }) => {
  const thumbnail = await renderThumbnail({ kind: 'mesh', entry, files: memoryFiles(files) });
  const picture = await decode(thumbnail);
  const [tower, base] = [measurePixels(picture, isRed), measurePixels(picture, isGreen)];
  expect(tower.count).toBeGreaterThan(300);
  expect(base.count).toBeGreaterThan(300);
  expect(tower.row).toBeLessThan(base.row);
});
