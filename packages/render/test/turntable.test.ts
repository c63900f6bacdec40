import { turntableOf } from '@bindery/formats/images/turntable';
import { memoryFiles } from '@bindery/formats/reading/asset-files';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { renderThumbnail } from '../src/thumbnail.ts';

/** A box that is longer than wide: from each side it looks another way. */
const box = (vertices: string) => Buffer.from(`${vertices}f 1 2 3\nf 1 3 4\nf 1 2 4\nf 2 3 4\n`);
const WEDGE = box('v 0 0 0\nv 3 0 0\nv 0 0 1\nv 0 1 0\n');

async function draw(bytes: Uint8Array) {
  const files = memoryFiles(new Map([['wedge.obj', bytes]]));
  const made = await renderThumbnail({ kind: 'mesh', format: 'obj', entry: 'wedge.obj', files });
  if (!('webp' in made)) throw new Error(made.warning);
  return made.webp;
}

test('a model is drawn with a turntable of eight pictures, which readers of the thumbnail do not see', async () => {
  const webp = await draw(WEDGE);
  const turntable = turntableOf(webp);
  if (turntable === null) throw new Error('There is no turntable.');
  expect(turntable.length).toBeLessThanOrEqual(30 * 1024);
  expect(await sharp(turntable).metadata()).toMatchObject({ width: 320, pages: 8, loop: 0 });
  const { pages, width, height } = await sharp(webp).metadata();
  expect({ pages, width, height }).toEqual({ width: 640, height: 640 });
  const frames = await Promise.all([0, 2, 4].map((page) => sharp(turntable, { page }).raw().toBuffer()));
  expect(new Set(frames.map((frame) => frame.toString('base64'))).size).toBe(3);
  expect(await draw(WEDGE)).toEqual(webp);
});

test('a model with very many vertices is drawn without a turntable', async () => {
  const many = box(`${'v 0 0 0\n'}v 3 0 0\nv 0 0 1\nv 0 1 0\n${'v 0 0 0\n'.repeat(10)}`);
  expect(turntableOf(await draw(many))).not.toBeNull();
  const triangles = Array.from({ length: 170_000 }, (_, at) => {
    const [x, y] = [at % 400, Math.floor(at / 400)];
    return `v ${x} 0 ${y}\nv ${x + 1} 0 ${y}\nv ${x} 1 ${y}\nf -3 -2 -1\n`;
  });
  expect(turntableOf(await draw(Buffer.from(triangles.join(''))))).toBeNull();
});
