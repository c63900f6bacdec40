import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { createThumbnailPool, type ThumbnailRequest } from '../src/index.ts';
import { assetsIn, DATA, type DescribedAsset, here } from './models/real-assets.ts';
import { countRows, type Decoded, decode, isSolid, measurePixels } from './pictures.ts';

/** Assets that, standing upright, fill clearly more of their lower half than of their upper one, and the other way round. */
const WIDER_BELOW = ['drake-tri-homecart', 'guitar', 'kenney-grass-trees', 'kenney-pavement-fountain'];
const WIDER_ABOVE = ['Fox', 'Suzanne', 'bitcraze_crazyflie_2', 'google_barkour_vb', 'trs_so_arm100'];

describe.skipIf(!here)('the real libraries in ../shared/data', async () => {
  const assets = here ? await assetsIn(DATA) : [];

  test('every asset gets a thumbnail that is not blank, cropped or black, and asymmetric ones are upright', {
    timeout: 240_000,
  }, async () => {
    await using pool = createThumbnailPool({ workers: 2, timeoutMs: 60_000, memoryMiB: 2048 });
    const pictures = await Promise.all(
      assets.map(async (asset) => [asset.id, await decode(await pool.render(toRequest(asset)))] as const),
    );
    for (const [id, picture] of pictures) {
      const drawn = measurePixels(picture, (_red, _green, _blue, alpha) => alpha > 90);
      expect(drawn.count, id).toBeGreaterThan(8_000);
      expect(measurePixels(picture, (_red, _green, _blue, alpha) => alpha > 4).border, id).toBe(0);
      expect(brightest(picture), id).toBeGreaterThan(45);
      if (WIDER_BELOW.includes(id)) expect(shareBelow(picture), id).toBeGreaterThan(1.2);
      if (WIDER_ABOVE.includes(id)) expect(shareBelow(picture), id).toBeLessThan(0.8);
    }
    expect(pictures).toHaveLength(assets.length);
  });
});

function toRequest({ library, kind, entry, files }: DescribedAsset): ThumbnailRequest {
  const sizes = new Map(files.map(({ path, size }) => [path, size]));
  const read = (path: string) =>
    readFile(new URL(`${library}/${path.split('/').map(encodeURIComponent).join('/')}`, DATA));
  return { kind, entry, files: { sizes, read } };
}

/** The mean over solid pixels of the brightest channel. */
function brightest(picture: Decoded): number {
  let [sum, count] = [0, 0];
  measurePixels(picture, (red, green, blue, alpha) => {
    if (alpha > 90) {
      sum += Math.max(red, green, blue);
      count++;
    }
    return false;
  });
  return sum / count;
}

/** How many solid pixels lie below the middle of what is solid, for one above it. */
function shareBelow(picture: Decoded): number {
  const rows = countRows(picture, isSolid);
  const top = rows.findIndex((count) => count > 0);
  const bottom = rows.findLastIndex((count) => count > 0);
  const middle = Math.round((top + bottom) / 2);
  const sum = (from: number, to: number) => rows.slice(from, to).reduce((total, count) => total + count, 0);
  return sum(middle, bottom + 1) / sum(top, middle);
}
