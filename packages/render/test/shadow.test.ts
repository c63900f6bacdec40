import { expect, test } from 'vitest';
import { memoryFiles } from '../src/index.ts';
import { renderThumbnail } from '../src/thumbnail.ts';
import { goldenModels } from './models/golden.ts';
import { decode, measurePixels } from './pictures.ts';

test('a soft shadow fades through every opacity level from 40 to 1', async () => {
  const model = (await goldenModels()).find(({ name }) => name === 'deformables');
  if (model === undefined) throw new Error('no such model');
  const { kind, entry, files } = model;
  const picture = await decode(await renderThumbnail({ kind, entry, files: memoryFiles(files) }));
  for (let opacity = 1; opacity <= 40; opacity++) {
    const { count } = measurePixels(picture, (_red, _green, _blue, alpha) => alpha === opacity);
    expect(count, `pixels of opacity ${opacity}`).toBeGreaterThan(100);
  }
});
