import type { Camera } from '../camera.ts';
import type { VisibilityBuffer } from '../rasterise/visibility.ts';

/** Taps per pixel, on a spiral; its turns are chosen so that the arms do not line up. */
const TAPS = 14;
const TURNS = 5;
/** How far a surface occludes another, as a share of the picture's width at the model's distance. */
const REACH = 0.11;
const STRENGTH = 0.95;

/**
 * How much of the ambient light reaches each pixel of `blockSize` × `blockSize` samples, 0 to 1, from the depths alone:
 * the estimator of McGuire et al., "Scalable Ambient Obscurance" (2012).
 */
export function ambientVisibility(
  camera: Camera,
  visible: VisibilityBuffer,
  blockSize: number,
): Float32Array {
  const view = firstSamples(camera, visible, blockSize);
  const { size, depths, step } = view;
  const reach = REACH * 2 * camera.slope * view.typicalDepth;
  const raw = new Float32Array(size * size).fill(1);
  const normal = new Float64Array(3);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const depth = depths[y * size + x] as number;
      if (depth === 0) continue;
      measureNormal(view, x, y, normal);
      raw[y * size + x] = ambientVisibilityAt(view, x, y, normal, reach, reach / (step * depth));
    }
  }
  return blurred(raw, view, reach);
}

/** What the first sample of each pixel sees. */
interface View {
  readonly size: number;
  /** Distance from the eye along its axis; 0 if there is nothing. */
  readonly depths: Float32Array;
  /** Distance between neighbouring pixels at a depth of 1. */
  readonly step: number;
  /** The harmonic mean of the visible depths. */
  readonly typicalDepth: number;
}

function firstSamples(camera: Camera, visible: VisibilityBuffer, blockSize: number): View {
  const size = visible.size / blockSize;
  const depths = new Float32Array(size * size);
  let sum = 0;
  let count = 0;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const w = visible.inverseDepth[(y * visible.size + x) * blockSize] as number;
      if (w === 0) continue;
      depths[y * size + x] = 1 / w;
      sum += w;
      count++;
    }
  }
  return { size, depths, step: (2 * camera.slope) / size, typicalDepth: count === 0 ? 1 : count / sum };
}

/** The normal (right, up, towards the eye) of the surface through a pixel and its neighbours closest in depth. */
function measureNormal(view: View, x: number, y: number, normal: Float64Array): void {
  const { size, depths, step } = view;
  const pixel = y * size + x;
  const across = nearerNeighbour(depths, pixel, x > 0 ? -1 : 0, x < size - 1 ? 1 : 0);
  const down = nearerNeighbour(depths, pixel, y > 0 ? -size : 0, y < size - 1 ? size : 0);
  const middle = size / 2 - 0.5;
  const right = (x - middle) * step;
  const up = (middle - y) * step;
  const depth = depths[pixel] as number;
  const acrossDepth = depths[pixel + across] as number;
  const downDepth = depths[pixel + down] as number;
  const acrossStep = Math.sign(across) * step;
  const downStep = -Math.sign(down) * step;
  const ax = right * (acrossDepth - depth) + acrossStep * acrossDepth;
  const ay = up * (acrossDepth - depth);
  const az = depth - acrossDepth;
  const bx = right * (downDepth - depth);
  const by = up * (downDepth - depth) + downStep * downDepth;
  const bz = depth - downDepth;
  const sign = acrossStep * downStep < 0 ? -1 : 1;
  const nx = ay * bz - az * by;
  const ny = az * bx - ax * bz;
  const nz = ax * by - ay * bx;
  const length = Math.sqrt(nx * nx + ny * ny + nz * nz);
  normal[0] = length > 0 ? (sign * nx) / length : 0;
  normal[1] = length > 0 ? (sign * ny) / length : 0;
  normal[2] = length > 0 ? (sign * nz) / length : 1;
}

/** Of the offsets `before` and `after`, the one to the pixel whose depth is closer; 0 if both pixels are empty. */
function nearerNeighbour(depths: Float32Array, pixel: number, before: number, after: number): number {
  const depth = depths[pixel] as number;
  const depthBefore = depths[pixel + before] as number;
  const depthAfter = depths[pixel + after] as number;
  const gapBefore = before === 0 || depthBefore === 0 ? Infinity : Math.abs(depthBefore - depth);
  const gapAfter = after === 0 || depthAfter === 0 ? Infinity : Math.abs(depthAfter - depth);
  if (gapBefore === Infinity && gapAfter === Infinity) return 0;
  return gapAfter <= gapBefore ? after : before;
}

/** Offsets of the taps on a disc of radius one, for each of the 16 rotations. */
const SPIRALS = Float64Array.from({ length: 16 * TAPS * 2 }, (_, index) => {
  const turn = Math.floor(index / (TAPS * 2)) / 16;
  const share = (Math.floor((index % (TAPS * 2)) / 2) + 0.5 + turn * 0.5) / TAPS;
  const angle = (share * TURNS + turn) * 2 * Math.PI;
  return share * (index % 2 === 0 ? Math.cos(angle) : Math.sin(angle));
});

/** `radius` is the reach in pixels. */
function ambientVisibilityAt(
  { size, depths, step }: View,
  x: number,
  y: number,
  normal: Float64Array,
  reach: number,
  radius: number,
): number {
  const middle = size / 2 - 0.5;
  const depth = depths[y * size + x] as number;
  const right = (x - middle) * step * depth;
  const up = (middle - y) * step * depth;
  const nx = normal[0] as number;
  const ny = normal[1] as number;
  const nz = normal[2] as number;
  const reach2 = reach * reach;
  const bias = reach * 0.012;
  const start = ((((x & 3) * 4 + (y & 3)) * 7) % 16) * TAPS * 2;
  const end = start + TAPS * 2;
  let sum = 0;
  for (let tap = start; tap < end; tap += 2) {
    const placeX = x + (SPIRALS[tap] as number) * radius + 0.5;
    const placeY = y + (SPIRALS[tap + 1] as number) * radius + 0.5;
    if (placeX < 0 || placeY < 0 || placeX >= size || placeY >= size) continue;
    const qx = placeX | 0;
    const qy = placeY | 0;
    const there = depths[qy * size + qx] as number;
    if (there === 0) continue;
    const vz = depth - there;
    const vx = (qx - middle) * step * there - right;
    const vy = (middle - qy) * step * there - up;
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
function blurred(raw: Float32Array, { size, depths }: View, reach: number): Float32Array {
  const out = new Float32Array(raw.length).fill(1);
  const limit = reach * 0.25;
  for (let y = 0; y < size; y++) {
    const top = Math.max(0, y - 2);
    const bottom = Math.min(size - 1, y + 1);
    for (let x = 0; x < size; x++) {
      const depth = depths[y * size + x] as number;
      if (depth === 0) continue;
      const left = Math.max(0, x - 2);
      const right = Math.min(size - 1, x + 1);
      let sum = 0;
      let count = 0;
      for (let qy = top; qy <= bottom; qy++) {
        for (let q = qy * size + left; q <= qy * size + right; q++) {
          const there = depths[q] as number;
          if (there === 0 || Math.abs(there - depth) > limit) continue;
          sum += raw[q] as number;
          count++;
        }
      }
      out[y * size + x] = sum / count;
    }
  }
  return out;
}
