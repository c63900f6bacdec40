import type { Camera } from '../camera.ts';
import type { SplatCloud } from '../scene.ts';
import { measureCovariance } from './covariance.ts';

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
