import sharp from 'sharp';
import type { ImageDescription } from './description.ts';

/**
 * Returns the model's input for a picture: `[3, size, size]`, the red plane first, `(value / 255 - mean) / std`.
 * Sizes as in open_clip `transform.py`.
 */
export function prepareImage(picture: Picture, description: ImageDescription): Float32Array {
  const { size, mean, std } = description;
  const { width, height, window } = fit(picture, description);
  const { pixels } = resample(picture, width, height, window);
  const plane = size * size;
  const numbers = new Float32Array(3 * plane);
  for (const channel of [0, 1, 2] as const) {
    for (let at = 0; at < plane; at++) {
      numbers[channel * plane + at] =
        ((pixels[at * 3 + channel] as number) / 255 - mean[channel]) / std[channel];
    }
  }
  return numbers;
}

function fit(
  { width, height }: Picture,
  { size, resize }: ImageDescription,
): { width: number; height: number; window: Window } {
  if (resize === 'squash') {
    return { width: size, height: size, window: { left: 0, top: 0, width: size, height: size } };
  }
  // As in torchvision's Resize, the longer side is truncated to an integer, not rounded.
  const longer = Math.trunc((size * Math.max(width, height)) / Math.min(width, height));
  const fitted = width < height ? { width: size, height: longer } : { width: longer, height: size };
  const left = roundHalfToEven((fitted.width - size) / 2);
  const top = roundHalfToEven((fitted.height - size) / 2);
  return { ...fitted, window: { left, top, width: size, height: size } };
}

/** Python's `round`, which centre crops use. */
function roundHalfToEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

/** Larger pictures are refused: pixels along one side, and in total. */
const MAX_SIDE = 16_384;
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
  if (Math.max(width, height) > MAX_SIDE) throw new Error(`it has a side of more than ${MAX_SIDE} px`);
  if (channels !== 3) throw new Error(`it has ${channels} channels`);
  return { width, height, pixels: data };
}

/** Rows of red, green and blue, one byte each. */
export interface Picture {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/** A rectangle of a picture, in pixels. */
interface Window {
  left: number;
  top: number;
  width: number;
  height: number;
}

const CHANNELS = 3;

/** Fractional bits of the fixed-point weights. */
const PRECISION = 22;

/** The taps of one output pixel: the first input pixel, and the weights of that pixel and the following ones. */
interface Taps {
  first: number;
  weights: Int32Array;
}

/**
 * Resizes to `width` × `height` and returns the window of the result. Yields the same numbers as Pillow's
 * `Image.resize(…, BICUBIC)` (`Resample.c`), which open_clip's models were trained with: the Keys kernel with
 * a = -0.5, widened when shrinking, weights in 22-bit fixed point, rows first, rounded to bytes in between.
 */
export function resample(source: Picture, width: number, height: number, window: Window): Picture {
  const columns = tapsOf(source.width, width, window.left, window.width);
  const rows = tapsOf(source.height, height, window.top, window.height);
  const firstRow = Math.min(...rows.map(({ first }) => first));
  const lastRow = Math.max(...rows.map(({ first, weights }) => first + weights.length));
  const narrow = resampleRows(source, columns, firstRow, lastRow);
  return resampleColumns(narrow, rows, firstRow);
}

function resampleRows(source: Picture, columns: readonly Taps[], firstRow: number, lastRow: number): Picture {
  const width = columns.length;
  const pixels = new Uint8Array(width * (lastRow - firstRow) * CHANNELS);
  let out = 0;
  for (let row = firstRow; row < lastRow; row++) {
    const start = row * source.width;
    for (const { first, weights } of columns) {
      accumulate(source.pixels, (start + first) * CHANNELS, CHANNELS, weights, pixels, out);
      out += CHANNELS;
    }
  }
  return { width, height: lastRow - firstRow, pixels };
}

function resampleColumns(narrow: Picture, rows: readonly Taps[], firstRow: number): Picture {
  const { width } = narrow;
  const stride = width * CHANNELS;
  const pixels = new Uint8Array(rows.length * stride);
  let out = 0;
  for (const { first, weights } of rows) {
    for (let column = 0; column < width; column++) {
      const start = (first - firstRow) * stride + column * CHANNELS;
      accumulate(narrow.pixels, start, stride, weights, pixels, out);
      out += CHANNELS;
    }
  }
  return { width, height: rows.length, pixels };
}

/** Writes the weighted sum of pixels that are `step` bytes apart. */
function accumulate(
  from: Uint8Array,
  start: number,
  step: number,
  weights: Int32Array,
  to: Uint8Array,
  out: number,
): void {
  const half = 1 << (PRECISION - 1);
  let red = half;
  let green = half;
  let blue = half;
  let at = start;
  for (const weight of weights) {
    red += (from[at] as number) * weight;
    green += (from[at + 1] as number) * weight;
    blue += (from[at + 2] as number) * weight;
    at += step;
  }
  to[out] = toByte(red);
  to[out + 1] = toByte(green);
  to[out + 2] = toByte(blue);
}

function toByte(sum: number): number {
  return Math.min(255, Math.max(0, sum >> PRECISION));
}

function tapsOf(from: number, to: number, firstOutput: number, outputs: number): Taps[] {
  const scale = from / to;
  const widening = Math.max(scale, 1);
  const support = 2 * widening;
  return Array.from({ length: outputs }, (_, at) => {
    const center = (firstOutput + at + 0.5) * scale;
    const first = Math.max(0, Math.trunc(center - support + 0.5));
    const end = Math.min(from, Math.trunc(center + support + 0.5));
    const exact = Array.from({ length: end - first }, (_, tap) =>
      keys((first + tap - center + 0.5) / widening),
    );
    const sum = exact.reduce((total, weight) => total + weight, 0);
    return { first, weights: Int32Array.from(exact, (weight) => toFixed(weight / sum)) };
  });
}

function toFixed(weight: number): number {
  return Math.trunc(weight * 2 ** PRECISION + (weight < 0 ? -0.5 : 0.5));
}

/** Cubic convolution with a = -0.5 (R. Keys, 1981). */
function keys(distance: number): number {
  const a = -0.5;
  const x = Math.abs(distance);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
  return 0;
}
