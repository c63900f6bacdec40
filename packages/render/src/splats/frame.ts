import { type Camera, frameThreeQuarter, frameThreeQuarterLeft, toAxes } from '../camera.ts';
import type { SplatCloud } from '../scene.ts';

/** Fainter splats do not count in the framing. */
const VISIBLE = 0.12;
/** Splats farther from the middle than this many times the reach of most of them are stray. */
const STRAY = 1.8;
const MOST = 0.92;

/** How much broader a capture must look from the left to be shown from there. */
const CLEARLY = 1.15;

/** The three-quarter view of what most splats make up: captures carry stray splats far away that nobody means.
 * A capture has no front of its own, so it is shown from the side on which it is broader. */
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
  const points = corners(cloud, kept);
  const fromRight = frameThreeQuarter([points]);
  const fromLeft = frameThreeQuarterLeft([points]);
  return breadth(points, fromLeft) > CLEARLY * breadth(points, fromRight) ? fromLeft : fromRight;
}

/** The spread of points along the camera's right. */
function breadth(points: Float32Array, camera: Camera): number {
  const along = toAxes(points, camera.right, camera.up, camera.back);
  let [sum, squares] = [0, 0];
  for (let i = 0; i < along.length; i += 3) {
    sum += along[i] as number;
    squares += (along[i] as number) ** 2;
  }
  const count = along.length / 3;
  return Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2));
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

/** Points around each splat that reach as far as it is clearly seen. */
function corners({ positions, scales }: SplatCloud, splats: readonly number[]): Float32Array {
  const out = new Float32Array(splats.length * 18);
  let at = 0;
  for (const splat of splats) {
    const around = 1.5 * Math.max(...scales.subarray(splat * 3, splat * 3 + 3));
    for (let axis = 0; axis < 3; axis++) {
      for (const side of [-1, 1]) {
        for (let k = 0; k < 3; k++) {
          out[at++] = (positions[splat * 3 + k] as number) + (k === axis ? side * around : 0);
        }
      }
    }
  }
  return out;
}
