import type { SurfaceSamples } from './surface-samples.ts';

/** Cells of a mask along each side. */
const SIDE = 32;
/** What is seen fills this square in the middle of a mask. */
const FILLED = 26;
const MARGIN = (SIDE - FILLED) / 2;
/** Waves across and up a mask, together. */
const WAVES = 6;

export const OUTLINE_NUMBERS = ((WAVES + 1) * (WAVES + 2)) / 2;
export const VIEWS = 8;
const ELEVATION = (20 * Math.PI) / 180;

/** Which cells of a square a thing covers, row by row, each 0 or 1. */
export type Mask = Uint8Array;

/** The outlines of a model from around it, slightly above. Half the way around is enough: opposite outlines are mirrored. */
export function viewOutlines({ count, positions }: SurfaceSamples): Float64Array[] {
  return Array.from({ length: VIEWS }, (_, view) => {
    const azimuth = (view * Math.PI) / VIEWS;
    const [sine, cosine] = [Math.sin(azimuth), Math.cos(azimuth)];
    const flat = new Float32Array(count * 2);
    for (let point = 0; point < count; point++) {
      const x = positions[point * 3] as number;
      const y = positions[point * 3 + 1] as number;
      const z = positions[point * 3 + 2] as number;
      flat[point * 2] = x * cosine - z * sine;
      flat[point * 2 + 1] = y * Math.cos(ELEVATION) - (x * sine + z * cosine) * Math.sin(ELEVATION);
    }
    return outlineOf(closed(maskOf(flat)));
  });
}

/** The cells that points cover, whose bounds are scaled to fill a mask. x, y per point, y up or down. */
export function maskOf(points: Float32Array): Mask {
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at < points.length; at += 2) {
    const [x, y] = [points[at] as number, points[at + 1] as number];
    minX = Math.min(minX, x);
    maxX = Math.max(maxX, x);
    minY = Math.min(minY, y);
    maxY = Math.max(maxY, y);
  }
  const scale = (FILLED - 1e-3) / (Math.max(maxX - minX, maxY - minY) || 1);
  const left = MARGIN + (FILLED - (maxX - minX) * scale) / 2;
  const top = MARGIN + (FILLED - (maxY - minY) * scale) / 2;
  const mask = new Uint8Array(SIDE * SIDE);
  for (let at = 0; at < points.length; at += 2) {
    const column = Math.floor(left + ((points[at] as number) - minX) * scale);
    const row = Math.floor(top + ((points[at + 1] as number) - minY) * scale);
    mask[row * SIDE + column] = 1;
  }
  return mask;
}

/** Closes the gaps of single cells between points. */
function closed(mask: Mask): Mask {
  const grown = neighbours(mask, (cells) => cells > 0);
  return neighbours(grown, (cells) => cells === 9);
}

function neighbours(mask: Mask, isCovered: (cells: number) => boolean): Mask {
  return mask.map((_, at) => {
    const [row, column] = [Math.floor(at / SIDE), at % SIDE];
    if (row === 0 || column === 0 || row === SIDE - 1 || column === SIDE - 1) return 0;
    let cells = 0;
    for (let y = -SIDE; y <= SIDE; y += SIDE)
      for (let x = -1; x <= 1; x++) cells += mask[at + y + x] as number;
    return Number(isCovered(cells));
  });
}

const COSINES = waves(Math.cos);
const SINES = waves(Math.sin);

function waves(wave: (angle: number) => number): Float64Array {
  return Float64Array.from({ length: (WAVES + 1) * SIDE }, (_, at) =>
    wave((2 * Math.PI * Math.floor(at / SIDE) * (at % SIDE)) / SIDE),
  );
}

/** The amplitudes of the slowest waves of a mask, which mirroring and small shifts do not change, as shares of it. */
export function outlineOf(mask: Mask): Float64Array {
  const across = new Float64Array((WAVES + 1) * SIDE * 2);
  for (let k = 0; k <= WAVES; k++) {
    for (let row = 0; row < SIDE; row++) {
      let [real, imaginary] = [0, 0];
      for (let column = 0; column < SIDE; column++) {
        if (mask[row * SIDE + column] === 0) continue;
        real += COSINES[k * SIDE + column] as number;
        imaginary += SINES[k * SIDE + column] as number;
      }
      across[(k * SIDE + row) * 2] = real;
      across[(k * SIDE + row) * 2 + 1] = imaginary;
    }
  }
  const numbers: number[] = [];
  for (let k = 0; k <= WAVES; k++) {
    for (let l = 0; k + l <= WAVES; l++) {
      let [a, b, c, d] = [0, 0, 0, 0];
      for (let row = 0; row < SIDE; row++) {
        const real = across[(k * SIDE + row) * 2] as number;
        const imaginary = across[(k * SIDE + row) * 2 + 1] as number;
        const [cosine, sine] = [COSINES[l * SIDE + row] as number, SINES[l * SIDE + row] as number];
        a += real * cosine - imaginary * sine;
        b += real * sine + imaginary * cosine;
        c += real * cosine + imaginary * sine;
        d += imaginary * cosine - real * sine;
      }
      numbers.push((Math.hypot(a, b) + Math.hypot(c, d)) / 2 / (FILLED * FILLED));
    }
  }
  return Float64Array.from(numbers);
}
