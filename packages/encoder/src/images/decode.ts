import sharp from 'sharp';
import type { Picture } from './resample.ts';

/** Larger pictures are refused: pixels along one side, and in total. */
const LONGEST_SIDE = 16_384;
const MAX_PIXELS = 40_000_000;

/**
 * Decodes a PNG, JPEG, WebP or any other file that sharp supports into an upright sRGB picture. Transparency is blended
 * onto white: models have no alpha channel, and the colour of transparent pixels is arbitrary. Throws if the file is
 * not a picture or is too large.
 */
export async function decodeImage(bytes: Uint8Array): Promise<Picture> {
  const { data, info } = await sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
    .autoOrient()
    .toColourspace('srgb')
    .flatten({ background: '#ffffff' })
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  if (Math.max(width, height) > LONGEST_SIDE)
    throw new Error(`it has a side of more than ${LONGEST_SIDE} px`);
  if (channels !== 3) throw new Error(`it has ${channels} channels`);
  return { width, height, pixels: data };
}
