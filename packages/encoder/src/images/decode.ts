import sharp from 'sharp';
import type { Picture } from './resample.ts';

/** Beyond these a picture is refused: pixels of one side, and of the whole. */
const LONGEST_SIDE = 16_384;
const MAX_PIXELS = 40_000_000;

/**
 * The picture of a PNG, JPEG, WebP or any other file that sharp knows, upright, in sRGB. What is transparent becomes white: a
 * model takes no transparency, and the colour below transparent pixels is an accident of the file. Throws where the
 * file is no picture or too large.
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
