import type { Image } from '@bindery/formats/model/scene';
import { figureCells } from './figure-cells.ts';

/** What a picture shows: its pixels without the background; of a picture that is larger than `SIDE`, some of them. */
export interface Figure {
  /** x, y per pixel. */
  readonly places: Float32Array;
  /** r, g, b per pixel, sRGB, 0 to 1. */
  readonly colors: Float32Array;
}

/** A pixel is background if it is less opaque than this. */
const OPAQUE = 128;
/** Or if it is this close to the colour of a plain border, in steps of a channel. */
const PLAIN = 24;
/** The share of a plain border that has its colour. */
const PLAIN_SHARE = 0.95;
/** Of larger pictures, only some pixels are read. */
const SIDE = 512;
/** The share of pixels that a figure has at least. */
const SMALLEST = 1 / 2_000;

/** Returns the thing that a picture is of; undefined if nothing stands out from the background. */
export function figureOf({ width, height, data }: Image): Figure | undefined {
  const step = Math.ceil(Math.max(width, height) / SIDE);
  const isFigure = hasBackground(data)
    ? (x: number, y: number) => (data[(y * width + x) * 4 + 3] as number) >= OPAQUE
    : (unlikePlainBorder({ width, height, data }) ?? figureCells({ width, height, data }, step));
  if (isFigure === undefined) return undefined;
  const places: number[] = [];
  const colors: number[] = [];
  for (let y = 0; y < height; y += step) {
    for (let x = 0; x < width; x += step) {
      if (!isFigure(x, y)) continue;
      const at = (y * width + x) * 4;
      places.push(x, y);
      for (let channel = 0; channel < 3; channel++) colors.push((data[at + channel] as number) / 255);
    }
  }
  if (places.length / 2 < ((width * height) / step ** 2) * SMALLEST) return undefined;
  return { places: Float32Array.from(places), colors: Float32Array.from(colors) };
}

/** Whether a noticeable part of a picture is transparent. */
function hasBackground(data: Uint8Array): boolean {
  let transparent = 0;
  for (let at = 3; at < data.length; at += 4) transparent += Number((data[at] as number) < OPAQUE);
  return transparent > (data.length / 4) * SMALLEST;
}

/** Returns which pixels have another colour than the border; undefined if that has several. */
function unlikePlainBorder({ width, height, data }: Image): ((x: number, y: number) => boolean) | undefined {
  const border: number[] = [];
  for (let x = 0; x < width; x++) border.push(x, (height - 1) * width + x);
  for (let y = 0; y < height; y++) border.push(y * width, y * width + width - 1);
  const middle = [0, 1, 2].map((channel) => {
    const values = border.map((pixel) => data[pixel * 4 + channel] as number).sort((a, b) => a - b);
    return values[values.length >> 1] ?? 0;
  });
  const isUnlike = (pixel: number) =>
    Math.hypot(...middle.map((value, channel) => (data[pixel * 4 + channel] as number) - value)) > PLAIN;
  if (border.filter(isUnlike).length > border.length * (1 - PLAIN_SHARE)) return undefined;
  return (x, y) => isUnlike(y * width + x);
}
