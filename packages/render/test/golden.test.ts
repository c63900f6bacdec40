import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { memoryFiles } from '../src/index.ts';
import { renderThumbnail } from '../src/thumbnail.ts';
import { goldenModels } from './models/golden.ts';
import { difference } from './pictures.ts';

/** `UPDATE_GOLDEN=1 npx vitest run packages/render/test/golden.test.ts` writes the pictures anew; look at them before they are committed. */
const UPDATE = process.env.UPDATE_GOLDEN === '1';

/** Any block of the picture may differ by this much, of 255, on the mean. */
const TOLERANCE = 6;

test.each(await goldenModels())(
  '$name matches its golden picture, and is rendered to the same bytes every time',
  async ({ name, kind, entry, files }) => {
    const render = () => renderThumbnail({ kind, entry, files: memoryFiles(files) });
    const thumbnail = await render();
    if (!('webp' in thumbnail)) throw new Error(thumbnail.warning);
    const golden = new URL(`golden/${name}.webp`, import.meta.url);
    if (UPDATE) await writeFile(golden, thumbnail.webp);
    expect(await difference(thumbnail.webp, await readFile(golden))).toBeLessThan(TOLERANCE);
    expect(await render()).toEqual(thumbnail);
  },
);

test('the tolerance distinguishes a model from its mirror image and from a recoloured copy', async () => {
  const pictures = await Promise.all(
    ['materials', 'materials-mirrored', 'materials-recoloured'].map((name) =>
      readFile(new URL(`golden/${name}.webp`, import.meta.url)),
    ),
  );
  const [plain, mirrored, recoloured] = pictures;
  expect(await difference(plain!, mirrored!)).toBeGreaterThan(TOLERANCE * 2);
  expect(await difference(plain!, recoloured!)).toBeGreaterThan(TOLERANCE * 2);
});
