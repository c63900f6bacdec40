import type { SplatCloud } from '@bindery/formats/model/scene';
import { type Camera, frameThreeQuarter } from '../camera.ts';

/** Ellipses on the screen, nearest first. */
export interface ScreenSplats {
  readonly order: Uint32Array;
  /** x, y of the centre, then the three distinct entries of the inverse covariance, per splat. */
  readonly shapes: Float32Array;
  /** Half width and half height of the bounding box of what is visible, per splat. */
  readonly reach: Float32Array;
  readonly colors: Float32Array;
}

/** Variance in square pixels that is added to every splat, so that none falls between the pixels. */
const LOW_PASS = 0.3;
const FAINTEST = 1 / 255;

/**
 * Projects Gaussians as ellipses by the local linear approximation of Zwicker et al., "EWA Splatting" (2002), as in
 * Kerbl et al., "3D Gaussian Splatting" (2023).
 */
export function projectSplats(cloud: SplatCloud, camera: Camera, size: number): ScreenSplats {
  const { count, positions, colors } = cloud;
  const shapes = new Float32Array(count * 5);
  const reach = new Float32Array(count * 2);
  const depths = new Float32Array(count);
  const focal = size / (2 * camera.slope);
  const [right, up, back] = [camera.right, camera.up, camera.back];
  const covariance = new Float64Array(6);
  for (let splat = 0; splat < count; splat++) {
    const x = positions[splat * 3] as number;
    const y = positions[splat * 3 + 1] as number;
    const z = positions[splat * 3 + 2] as number;
    const vx = right[0] * x + right[1] * y + right[2] * z - camera.eye[0];
    const vy = up[0] * x + up[1] * y + up[2] * z - camera.eye[1];
    const depth = camera.eye[2] - (back[0] * x + back[1] * y + back[2] * z);
    const opacity = colors[splat * 4 + 3] as number;
    if (!(depth > camera.eye[2] * 1e-3 && depth < 1e12) || !(opacity > FAINTEST)) continue;
    measureCovariance(cloud, splat, covariance);
    const scale = focal / depth;
    const jx = axisRow(right, back, scale, (scale * vx) / depth);
    const jy = axisRow(up, back, scale, (scale * vy) / depth);
    const a = quadratic(covariance, jx, jx) + LOW_PASS;
    const b = quadratic(covariance, jx, jy);
    const c = quadratic(covariance, jy, jy) + LOW_PASS;
    const determinant = a * c - b * b;
    if (!(determinant > 0 && determinant < 1e16)) continue;
    depths[splat] = depth;
    shapes[splat * 5] = size / 2 + vx * scale;
    shapes[splat * 5 + 1] = size / 2 - vy * scale;
    shapes[splat * 5 + 2] = c / determinant;
    shapes[splat * 5 + 3] = b / determinant;
    shapes[splat * 5 + 4] = a / determinant;
    const sigmas = Math.sqrt(2 * Math.log(opacity / FAINTEST));
    reach[splat * 2] = sigmas * Math.sqrt(a);
    reach[splat * 2 + 1] = sigmas * Math.sqrt(c);
  }
  return { order: nearestFirst(depths), shapes, reach, colors };
}

/** A row of the projection's Jacobian in the drawing frame: how far a step moves the projected point. */
function axisRow(
  axis: readonly [number, number, number],
  back: readonly [number, number, number],
  across: number,
  along: number,
): [number, number, number] {
  return [
    axis[0] * across + back[0] * along,
    axis[1] * across + back[1] * along,
    axis[2] * across + back[2] * along,
  ];
}

type Row = readonly [number, number, number];

/** uᵀ · C · v for a symmetric C. */
function quadratic(c: Float64Array, u: Row, v: Row): number {
  const [xx, xy, xz, yy, yz, zz] = c as unknown as [number, number, number, number, number, number];
  return (
    u[0] * (xx * v[0] + xy * v[1] + xz * v[2]) +
    u[1] * (xy * v[0] + yy * v[1] + yz * v[2]) +
    u[2] * (xz * v[0] + yz * v[1] + zz * v[2])
  );
}

const BUCKETS = 65_536;

/** Indices of the splats with a depth, by a counting sort over equal steps of 1/depth; the file's order breaks ties. */
function nearestFirst(depths: Float32Array): Uint32Array {
  let [near, far] = [Infinity, 0];
  for (const depth of depths) {
    if (depth === 0) continue;
    near = Math.min(near, depth);
    far = Math.max(far, depth);
  }
  const span = Math.max(1 / near - 1 / far, 1e-30);
  const bucketOf = (depth: number) =>
    Math.min(BUCKETS - 1, Math.floor(((1 / near - 1 / depth) / span) * BUCKETS));
  const starts = new Uint32Array(BUCKETS + 1);
  let count = 0;
  for (const depth of depths) {
    if (depth === 0) continue;
    const bucket = bucketOf(depth);
    starts[bucket + 1] = (starts[bucket + 1] as number) + 1;
    count++;
  }
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    starts[bucket + 1] = (starts[bucket + 1] as number) + (starts[bucket] as number);
  }
  const order = new Uint32Array(count);
  for (const [splat, depth] of depths.entries()) {
    if (depth === 0) continue;
    const bucket = bucketOf(depth);
    order[starts[bucket] as number] = splat;
    starts[bucket] = (starts[bucket] as number) + 1;
  }
  return order;
}

/** The covariance R · diag(s²) · Rᵀ: xx, xy, xz, yy, yz, zz. */
function measureCovariance({ rotations, scales }: SplatCloud, splat: number, out: Float64Array): void {
  const x = rotations[splat * 4] as number;
  const y = rotations[splat * 4 + 1] as number;
  const z = rotations[splat * 4 + 2] as number;
  const w = rotations[splat * 4 + 3] as number;
  out.fill(0);
  for (let axis = 0; axis < 3; axis++) {
    const s = scales[splat * 3 + axis] as number;
    const cx = axis === 0 ? 1 - 2 * (y * y + z * z) : axis === 1 ? 2 * (x * y - z * w) : 2 * (x * z + y * w);
    const cy = axis === 0 ? 2 * (x * y + z * w) : axis === 1 ? 1 - 2 * (x * x + z * z) : 2 * (y * z - x * w);
    const cz = axis === 0 ? 2 * (x * z - y * w) : axis === 1 ? 2 * (y * z + x * w) : 1 - 2 * (x * x + y * y);
    const v = s * s;
    out[0] = (out[0] as number) + v * cx * cx;
    out[1] = (out[1] as number) + v * cx * cy;
    out[2] = (out[2] as number) + v * cx * cz;
    out[3] = (out[3] as number) + v * cy * cy;
    out[4] = (out[4] as number) + v * cy * cz;
    out[5] = (out[5] as number) + v * cz * cz;
  }
}

/** Splats with less opacity do not affect the framing. */
const VISIBLE = 0.12;
/** Splats farther from the middle than this many times the reach of most of them are stray. */
const STRAY = 1.8;
const MOST = 0.92;

/** The three-quarter view of most splats: captures contain stray ones far away. Undefined if none are visible. */
export function frameSplats(cloud: SplatCloud): Camera | undefined {
  const counted = countedSplats(cloud);
  if (counted.length === 0) return undefined;
  const middle = [0, 1, 2].map((axis) =>
    median(counted.map((splat) => cloud.positions[splat * 3 + axis] as number)),
  );
  const distances = Float64Array.from(counted, (splat) =>
    Math.hypot(...middle.map((value, axis) => (cloud.positions[splat * 3 + axis] as number) - value)),
  );
  const reach = distances.slice().sort()[Math.floor(MOST * (distances.length - 1))] as number;
  const kept = counted.filter((_, index) => (distances[index] as number) <= reach * STRAY);
  return frameThreeQuarter([corners(cloud, kept)]);
}

function countedSplats({ count, positions, scales, colors }: SplatCloud): number[] {
  const counted: number[] = [];
  for (let splat = 0; splat < count; splat++) {
    const isPlaced = [0, 1, 2].every(
      (axis) =>
        Math.abs(positions[splat * 3 + axis] as number) < 1e9 && (scales[splat * 3 + axis] as number) < 1e9,
    );
    if (isPlaced && (colors[splat * 4 + 3] as number) >= VISIBLE) counted.push(splat);
  }
  return counted;
}

function median(values: readonly number[]): number {
  return Float64Array.from(values).sort()[values.length >> 1] as number;
}

/** Points around each splat, as far from it as it is visible. */
function corners(cloud: SplatCloud, splats: readonly number[]): Float32Array {
  const out = new Float32Array(splats.length * 18);
  const covariance = new Float64Array(6);
  let at = 0;
  for (const splat of splats) {
    measureCovariance(cloud, splat, covariance);
    const sigmas = Math.sqrt(2 * Math.log((cloud.colors[splat * 4 + 3] as number) / FAINT));
    for (let axis = 0; axis < 3; axis++) {
      const around = sigmas * Math.sqrt(covariance[DIAGONAL[axis] as number] as number);
      for (const side of [-1, 1]) {
        for (let k = 0; k < 3; k++) {
          out[at++] = (cloud.positions[splat * 3 + k] as number) + (k === axis ? side * around : 0);
        }
      }
    }
  }
  return out;
}

/** The opacity at which a splat counts as invisible. */
const FAINT = 0.02;
/** The indices of xx, yy and zz in a covariance. */
const DIAGONAL = [0, 3, 5];
