import { type Camera, frameThreeQuarter } from '../camera.ts';
import type { SplatCloud } from '../scene.ts';
import { measureCovariance } from './covariance.ts';

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
