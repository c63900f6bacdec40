import sharp from 'sharp';
import { Unrenderable } from '../errors.ts';
import type { Budget } from '../limits.ts';
import { type Picture, THUMBNAIL_SIZE } from '../picture.ts';

/** Decodes a picture, upright by its EXIF data and scaled to fit the thumbnail; of an animation, the first frame. */
export async function loadImage(bytes: Uint8Array, budget: Budget): Promise<Picture> {
  try {
    const { data, info } = await sharp(bytes, {
      limitInputPixels: budget.limits.imagePixels,
      failOn: 'error',
    })
      .rotate()
      .resize({ width: THUMBNAIL_SIZE, height: THUMBNAIL_SIZE, fit: 'inside' })
      .toColourspace('srgb')
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, data: new Uint8Array(data) };
  } catch {
    throw new Unrenderable('the image cannot be read');
  }
}
