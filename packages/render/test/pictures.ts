import sharp from 'sharp';
import type { Thumbnail } from '../src/index.ts';

/** A decoded thumbnail: RGBA, 8 bits a channel. */
export interface Decoded {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

export async function decode(thumbnail: Thumbnail): Promise<Decoded> {
  if (!('webp' in thumbnail)) throw new Error(`no picture: ${thumbnail.warning}`);
  return decodeWebp(thumbnail.webp);
}

export async function decodeWebp(webp: Uint8Array): Promise<Decoded> {
  const { data, info } = await sharp(webp).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data: new Uint8Array(data) };
}

type Test = (red: number, green: number, blue: number, alpha: number) => boolean;

/** Solid pixels: model, not shadow. */
export const isSolid: Test = (_red, _green, _blue, alpha) => alpha > 200;
export const isRed: Test = (red, green, blue, alpha) => alpha > 128 && red > 1.5 * green && red > 1.5 * blue;
export const isGreen: Test = (red, green, blue, alpha) =>
  alpha > 128 && green > 1.3 * red && green > 1.3 * blue;

/** How many pixels pass the test, the mean of their rows from 0 at the top to 1, and how many of them are on the border. */
export function measurePixels(
  { width, height, data }: Decoded,
  test: Test,
): { count: number; row: number; border: number } {
  let [count, rows, border] = [0, 0, 0];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      if (!test(data[at]!, data[at + 1]!, data[at + 2]!, data[at + 3]!)) continue;
      count++;
      rows += (y + 0.5) / height;
      if (x === 0 || y === 0 || x === width - 1 || y === height - 1) border++;
    }
  }
  return { count, row: count === 0 ? Number.NaN : rows / count, border };
}

/** Pixels that pass the test in each row, from the top. */
export function countRows({ width, height, data }: Decoded, test: Test): number[] {
  return Array.from(
    { length: height },
    (_, y) => measurePixels({ width, height: 1, data: data.subarray(y * width * 4) }, test).count,
  );
}

/**
 * How different two pictures look, 0 to 255: the largest mean difference of any block of an eighth of the picture's
 * side, over a grey ground, so that a pixel more or less along an edge does not count.
 */
export async function difference(a: Uint8Array, b: Uint8Array): Promise<number> {
  const [first, second] = await Promise.all([a, b].map(overGrey));
  const blocks = new Map<number, { sum: number; count: number }>();
  for (let at = 0; at < first!.length; at++) {
    const pixel = Math.floor(at / 3);
    const key =
      Math.floor(Math.floor(pixel / SIDE) / BLOCK) * (SIDE / BLOCK) + Math.floor((pixel % SIDE) / BLOCK);
    const block = blocks.get(key) ?? { sum: 0, count: 0 };
    block.sum += Math.abs(first![at]! - second![at]!);
    block.count++;
    blocks.set(key, block);
  }
  return Math.max(...[...blocks.values()].map(({ sum, count }) => sum / count));
}

const SIDE = 160;
const BLOCK = SIDE / 8;

async function overGrey(webp: Uint8Array): Promise<Uint8Array> {
  return sharp(webp).flatten({ background: '#808080' }).resize(SIDE, SIDE, { fit: 'fill' }).raw().toBuffer();
}
