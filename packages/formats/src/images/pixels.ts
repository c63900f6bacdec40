import type { Image } from '../model/scene.ts';
import { Unrenderable } from '../reading/errors.ts';
import { imageSize } from './image-size.ts';
import { srgbByte } from './srgb.ts';

/** Pixels for an image of the size that a file announces. @throws Unrenderable for one of more than `maxPixels` */
export function announcedSize(bytes: Uint8Array, maxPixels: number): { width: number; height: number } {
  const size = imageSize(bytes);
  if (size === undefined || size.width * size.height === 0) throw new Unrenderable('the picture is cut off');
  if (size.width * size.height > maxPixels) throw new Unrenderable('too many pixels');
  return size;
}

/** The brightest that is shown as it is; what is brighter approaches white. */
const SHOULDER = 0.8;

/** A picture from linear red, green and blue of any brightness. */
export function toneMapped(
  { width, height }: { width: number; height: number },
  at: (pixel: number, channel: number) => number,
  alphaAt: (pixel: number) => number = () => 1,
): Image {
  const data = new Uint8Array(width * height * 4);
  for (let pixel = 0; pixel < width * height; pixel++) {
    for (let channel = 0; channel < 3; channel++) {
      const light = Math.max(0, at(pixel, channel) || 0);
      const shown =
        light <= SHOULDER
          ? light
          : SHOULDER + (1 - SHOULDER) * (1 - Math.exp((SHOULDER - light) / (1 - SHOULDER)));
      data[pixel * 4 + channel] = srgbByte(shown);
    }
    data[pixel * 4 + 3] = Math.round(255 * Math.min(1, Math.max(0, alphaAt(pixel))));
  }
  return { width, height, data };
}
