/** Rows of red, green and blue, one byte each. */
export interface Picture {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/** A rectangle of a picture, in pixels. */
export interface Window {
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
