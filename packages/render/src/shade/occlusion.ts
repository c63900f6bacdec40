import type { Camera } from '../camera.ts';

/** Taps per pixel, on a spiral; its turns are chosen so that the arms do not line up. */
const TAPS = 14;
const TURNS = 5;
/** How far a surface shades another, as a share of the picture's width at the model's distance. */
const REACH = 0.11;
const STRENGTH = 1.15;

/**
 * How open each pixel lies to the light around it, 0 to 1, from the depths alone: the estimator of McGuire et al.,
 * "Scalable Ambient Obscurance" (2012). `inverseDepth` is square, `size` wide, 0 where nothing is.
 */
export function openness(camera: Camera, inverseDepth: Float32Array, size: number): Float32Array {
  const positions = viewPositions(camera, inverseDepth, size);
  const reach = REACH * 2 * camera.slope * medianDepth(inverseDepth);
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

function medianDepth(inverseDepth: Float32Array): number {
  const seen = inverseDepth.filter((w) => w > 0).sort();
  return seen.length === 0 ? 1 : 1 / (seen[seen.length >> 1] as number);
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
  const [hx, hs] = nearerNeighbour(
    inverseDepth,
    pixel,
    x > 0 ? pixel - 1 : -1,
    x < size - 1 ? pixel + 1 : -1,
  );
  const [vx, vs] = nearerNeighbour(
    inverseDepth,
    pixel,
    y > 0 ? pixel - size : -1,
    y < size - 1 ? pixel + size : -1,
  );
  const p = pixel * 3;
  const difference = (other: number, sign: number, k: number) =>
    sign * ((positions[other * 3 + k] as number) - (positions[p + k] as number));
  const [ax, ay, az] = [difference(hx, hs, 0), difference(hx, hs, 1), difference(hx, hs, 2)];
  const [bx, by, bz] = [difference(vx, vs, 0), difference(vx, vs, 1), difference(vx, vs, 2)];
  const nx = by * az - bz * ay;
  const ny = bz * ax - bx * az;
  const nz = bx * ay - by * ax;
  const length = Math.sqrt(nx * nx + ny * ny + nz * nz);
  NORMAL[0] = length > 0 ? nx / length : 0;
  NORMAL[1] = length > 0 ? ny / length : 0;
  NORMAL[2] = length > 0 ? nz / length : 1;
  return NORMAL;
}

/** Of the pixels before and after, the one whose depth is closer, and the sign of the step to it. */
function nearerNeighbour(
  inverseDepth: Float32Array,
  pixel: number,
  before: number,
  after: number,
): [number, number] {
  const w = inverseDepth[pixel] as number;
  const gap = (other: number) => {
    const there = other < 0 ? 0 : (inverseDepth[other] as number);
    return there === 0 ? Infinity : Math.abs(there - w);
  };
  return gap(after) <= gap(before) ? [after < 0 ? pixel : after, 1] : [before, -1];
}

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
  const turn = ((((x & 3) * 4 + (y & 3)) * 7) % 16) / 16;
  let sum = 0;
  for (let tap = 0; tap < TAPS; tap++) {
    const share = (tap + 0.5 + turn * 0.5) / TAPS;
    const angle = (share * TURNS + turn) * 2 * Math.PI;
    const qx = Math.round(x + Math.cos(angle) * share * radius);
    const qy = Math.round(y + Math.sin(angle) * share * radius);
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
      for (let dy = -2; dy <= 2; dy++) {
        for (let dx = -2; dx <= 2; dx++) {
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
