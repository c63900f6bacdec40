import type { Image } from '@bindery/formats/model/scene';

/** What a picture shows: its pixels without the background. */
interface Figure {
  /** x, y per pixel. */
  readonly places: Float32Array;
  /** r, g, b per pixel, sRGB, 0 to 1. */
  readonly colors: Float32Array;
}

/** A pixel is background if it is less opaque than this. */
const OPAQUE = 128;
/** Or if it is this close to the border's colour, in steps of a channel. */
const MIN_DIFFERENCE = 24;
/** Of larger pictures, only some pixels are read. */
const SIDE = 512;
/** The share of pixels that a figure has at least. */
const SMALLEST = 1 / 2_000;

export function figureOf({ width, height, data }: Image): Figure | undefined {
  const isBackground = hasBackground(data)
    ? (at: number) => (data[at + 3] as number) < OPAQUE
    : likeBorder({ width, height, data });
  const places: number[] = [];
  const colors: number[] = [];
  const step = Math.ceil(Math.max(width, height) / SIDE);
  for (let y = 0; y < height; y += step) {
    for (let x = 0; x < width; x += step) {
      const at = (y * width + x) * 4;
      if (isBackground(at)) continue;
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

/** Returns which pixels have the colour of the border, as far as that one varies itself. */
function likeBorder({ width, height, data }: Image): (at: number) => boolean {
  const border: number[] = [];
  for (let x = 0; x < width; x++) border.push(x, (height - 1) * width + x);
  for (let y = 0; y < height; y++) border.push(y * width, y * width + width - 1);
  const middle = [0, 1, 2].map((channel) =>
    median(border.map((pixel) => data[pixel * 4 + channel] as number)),
  );
  const difference = (at: number) =>
    Math.hypot(...middle.map((value, channel) => (data[at + channel] as number) - value));
  const usual = median(border.map((pixel) => difference(pixel * 4)));
  const most = Math.max(MIN_DIFFERENCE, 3 * usual);
  return (at) => difference(at) <= most;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
