import type { Camera } from '../camera.ts';

/** Taps per pixel, on a spiral; its turns are chosen so that the arms do not line up. */
const TAPS = 14;
const TURNS = 5;
/** How far a surface shades another, as a share of the picture's width at the model's distance. */
const REACH = 0.11;
const STRENGTH = 0.95;

/**
 * How open each pixel lies to the light around it, 0 to 1, from the depths alone: the estimator of McGuire et al.,
 * "Scalable Ambient Obscurance" (2012). `inverseDepth` is square, `size` wide, 0 where nothing is.
 */
export function openness(camera: Camera, inverseDepth: Float32Array, size: number): Float32Array {
  const positions = viewPositions(camera, inverseDepth, size);
  const reach = REACH * 2 * camera.slope * typicalDepth(inverseDepth);
  const raw = new Float32Array(size * size).fill(1);
  const pixelsPerUnit = size / (2 * camera.slope);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const pixel = y * size + x;
      const w = inverseDepth[pixel] as number;
      if (w === 0) continue;
      const normal = normalAt(positions, inverseDepth, size, x, y);
      raw[pixel] = opennessAt(positions, inverseDepth, size, x, y, normal, reach, pixelsPerUnit * reach * w);
    }
  }
  return blurred(raw, inverseDepth, size, reach);
}

/** Coordinates along right, up, back, relative to the eye. */
function viewPositions(camera: Camera, inverseDepth: Float32Array, size: number): Float32Array {
  const out = new Float32Array(size * size * 3);
  const step = (2 * camera.slope) / size;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const pixel = y * size + x;
      const w = inverseDepth[pixel] as number;
      if (w === 0) continue;
      out[pixel * 3] = ((x + 0.5 - size / 2) * step) / w;
      out[pixel * 3 + 1] = ((size / 2 - y - 0.5) * step) / w;
      out[pixel * 3 + 2] = -1 / w;
    }
  }
  return out;
}

/** The depth whose inverse is the mean of what is seen. */
function typicalDepth(inverseDepth: Float32Array): number {
  let [sum, count] = [0, 0];
  for (const w of inverseDepth) {
    sum += w;
    if (w > 0) count++;
  }
  return count === 0 ? 1 : count / sum;
}

const NORMAL = new Float64Array(3);

/** The normal of the surface through a pixel and its nearer neighbours in x and y. */
function normalAt(
  positions: Float32Array,
  inverseDepth: Float32Array,
  size: number,
  x: number,
  y: number,
): Float64Array {
  const pixel = y * size + x;
  const across = nearerNeighbour(
    inverseDepth,
    pixel,
    x > 0 ? pixel - 1 : pixel,
    x < size - 1 ? pixel + 1 : pixel,
  );
  const down = nearerNeighbour(
    inverseDepth,
    pixel,
    y > 0 ? pixel - size : pixel,
    y < size - 1 ? pixel + size : pixel,
  );
  const sign = (across > pixel ? 1 : -1) * (down > pixel ? 1 : -1);
  const p = pixel * 3;
  const ax = (positions[across * 3] as number) - (positions[p] as number);
  const ay = (positions[across * 3 + 1] as number) - (positions[p + 1] as number);
  const az = (positions[across * 3 + 2] as number) - (positions[p + 2] as number);
  const bx = (positions[down * 3] as number) - (positions[p] as number);
  const by = (positions[down * 3 + 1] as number) - (positions[p + 1] as number);
  const bz = (positions[down * 3 + 2] as number) - (positions[p + 2] as number);
  const nx = by * az - bz * ay;
  const ny = bz * ax - bx * az;
  const nz = bx * ay - by * ax;
  const length = Math.sqrt(nx * nx + ny * ny + nz * nz);
  NORMAL[0] = length > 0 ? (sign * nx) / length : 0;
  NORMAL[1] = length > 0 ? (sign * ny) / length : 0;
  NORMAL[2] = length > 0 ? (sign * nz) / length : 1;
  return NORMAL;
}

/** Of the pixels before and after, the one whose depth is closer; the pixel itself where both are empty. */
function nearerNeighbour(inverseDepth: Float32Array, pixel: number, before: number, after: number): number {
  const w = inverseDepth[pixel] as number;
  const wBefore = inverseDepth[before] as number;
  const wAfter = inverseDepth[after] as number;
  const gapBefore = before === pixel || wBefore === 0 ? Infinity : Math.abs(wBefore - w);
  const gapAfter = after === pixel || wAfter === 0 ? Infinity : Math.abs(wAfter - w);
  if (gapBefore === Infinity && gapAfter === Infinity) return pixel;
  return gapAfter <= gapBefore ? after : before;
}

/** Offsets of the taps on a disc of radius one, for each of the 16 rotations. */
const SPIRALS = Float64Array.from({ length: 16 * TAPS * 2 }, (_, index) => {
  const turn = Math.floor(index / (TAPS * 2)) / 16;
  const share = (Math.floor((index % (TAPS * 2)) / 2) + 0.5 + turn * 0.5) / TAPS;
  const angle = (share * TURNS + turn) * 2 * Math.PI;
  return share * (index % 2 === 0 ? Math.cos(angle) : Math.sin(angle));
});

function opennessAt(
  positions: Float32Array,
  inverseDepth: Float32Array,
  size: number,
  x: number,
  y: number,
  normal: Float64Array,
  reach: number,
  radius: number,
): number {
  const p = (y * size + x) * 3;
  const px = positions[p] as number;
  const py = positions[p + 1] as number;
  const pz = positions[p + 2] as number;
  const [nx, ny, nz] = normal as unknown as [number, number, number];
  const reach2 = reach * reach;
  const bias = reach * 0.012;
  const spiral = ((((x & 3) * 4 + (y & 3)) * 7) % 16) * TAPS * 2;
  let sum = 0;
  for (let tap = 0; tap < TAPS; tap++) {
    const qx = Math.round(x + (SPIRALS[spiral + tap * 2] as number) * radius);
    const qy = Math.round(y + (SPIRALS[spiral + tap * 2 + 1] as number) * radius);
    if (qx < 0 || qy < 0 || qx >= size || qy >= size) continue;
    const q = qy * size + qx;
    if (inverseDepth[q] === 0) continue;
    const vx = (positions[q * 3] as number) - px;
    const vy = (positions[q * 3 + 1] as number) - py;
    const vz = (positions[q * 3 + 2] as number) - pz;
    const vv = vx * vx + vy * vy + vz * vz;
    const fall = reach2 - vv;
    if (fall <= 0) continue;
    const above = vx * nx + vy * ny + vz * nz - bias;
    if (above > 0) sum += (fall * fall * fall * above) / (vv + reach2 * 0.0025);
  }
  const obscured = (STRENGTH * 5 * sum) / (TAPS * reach2 * reach2 * reach);
  return Math.max(0.12, 1 - Math.min(1, obscured));
}

/** Averages over 4 × 4 pixels, the period of the taps' rotation, leaving out other surfaces. */
function blurred(raw: Float32Array, inverseDepth: Float32Array, size: number, reach: number): Float32Array {
  const out = new Float32Array(raw.length).fill(1);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const pixel = y * size + x;
      const w = inverseDepth[pixel] as number;
      if (w === 0) continue;
      let [sum, weight] = [raw[pixel] as number, 1];
      for (let dy = -2; dy <= 1; dy++) {
        for (let dx = -2; dx <= 1; dx++) {
          const [qx, qy] = [x + dx, y + dy];
          if (qx < 0 || qy < 0 || qx >= size || qy >= size || (dx === 0 && dy === 0)) continue;
          const there = inverseDepth[qy * size + qx] as number;
          if (there === 0 || Math.abs(1 / there - 1 / w) > reach * 0.25) continue;
          sum += raw[qy * size + qx] as number;
          weight++;
        }
      }
      out[pixel] = sum / weight;
    }
  }
  return out;
}
