import type { Image } from '../model/scene.ts';
import { Unrenderable } from '../reading/errors.ts';
import { type ImageSize, imageSize } from './image-size.ts';

/** Pixels for an image of the size that a file announces. @throws Unrenderable for one of more than `maxPixels` */
export function announcedSize(bytes: Uint8Array, maxPixels: number): ImageSize {
  const size = imageSize(bytes);
  if (size === undefined || size.width * size.height === 0) throw new Unrenderable('the picture is cut off');
  if (size.width * size.height > maxPixels) throw new Unrenderable('too many pixels');
  return size;
}

/** The brightest that is shown as it is; what is brighter approaches white. */
const SHOULDER = 0.8;

/** A picture from linear red, green and blue of any brightness. */
export function toneMapped(
  { width, height }: ImageSize,
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

/** An RGBA picture, 8 bits per channel, sRGB, alpha not premultiplied. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** The transfer function of sRGB (IEC 61966-2-1), for 8-bit values. */
export const LINEAR_OF_SRGB = Float32Array.from({ length: 256 }, (_, value) => srgbToLinear(value / 255));

export function srgbToLinear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

export function linearToSrgb(value: number): number {
  return value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
}

/** Colours of vertices, of four numbers each, as light; opacity stays as it is. */
export function linearColors(colors: Float32Array): Float32Array {
  return colors.map((value, index) => {
    const inside = Math.min(1, Math.max(0, value));
    return index % 4 === 3 ? inside : srgbToLinear(inside);
  });
}

const STEPS = 4096;
const SRGB_BYTES = Uint8Array.from({ length: STEPS + 1 }, (_, step) =>
  Math.round(linearToSrgb(step / STEPS) * 255),
);

/** The 8-bit sRGB value of a linear one, clamped to 0 to 1. */
export function srgbByte(linear: number): number {
  return SRGB_BYTES[linear <= 0 ? 0 : linear >= 1 ? STEPS : (linear * STEPS + 0.5) | 0] as number;
}
