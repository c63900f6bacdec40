import type { SurfaceSamples } from './surface-samples.ts';

const DISTANCES = 8;
/** The farthest apart that two points usually are, in units of their distance from the centre. */
const FARTHEST = 3.2;
const ANGLES = 3;
/** Pairs of angles without an order. */
const ANGLE_PAIRS = (ANGLES * (ANGLES + 1)) / 2;
/** With how many others each point is paired. */
const PARTNERS = 16;

export const PAIR_BINS = DISTANCES * ANGLES * ANGLE_PAIRS;

/**
 * How pairs of points of a surface lie to each other: how far apart they are, and at which angles their normals are to
 * each other and to the line between them. Rotation and mirroring change nothing. After Wahl, Hillenbrand and
 * Hirzinger, "Surflet-pair-relation histograms" (2003), without the sides of surfaces, which files often state wrongly.
 * Sums to 1.
 */
export function pairHistogram({ count, positions, normals }: SurfaceSamples): Float64Array {
  const histogram = new Float64Array(PAIR_BINS);
  const partners = Math.min(PARTNERS, count - 1);
  const share = 1 / (count * partners);
  for (let a = 0; a < count; a++) {
    const i = a * 3;
    for (let step = 1; step <= partners; step++) {
      const j = ((a + step) % count) * 3;
      const x = (positions[i] as number) - (positions[j] as number);
      const y = (positions[i + 1] as number) - (positions[j + 1] as number);
      const z = (positions[i + 2] as number) - (positions[j + 2] as number);
      const distance = Math.sqrt(x * x + y * y + z * z) || 1;
      const [nx, ny, nz] = [normals[i] as number, normals[i + 1] as number, normals[i + 2] as number];
      const [mx, my, mz] = [normals[j] as number, normals[j + 1] as number, normals[j + 2] as number];
      addPair(
        histogram,
        share,
        distance / FARTHEST,
        Math.abs(nx * mx + ny * my + nz * mz),
        Math.abs(nx * x + ny * y + nz * z) / distance,
        Math.abs(mx * x + my * y + mz * z) / distance,
      );
    }
  }
  return histogram;
}

/** Counts a pair in the two nearest bins of each of its numbers, so that small changes do not move it to another. */
function addPair(
  histogram: Float64Array,
  share: number,
  distance: number,
  between: number,
  first: number,
  second: number,
): void {
  const apart = placeOf(distance, DISTANCES);
  const angle = placeOf(between, ANGLES);
  const near = placeOf(first, ANGLES);
  const far = placeOf(second, ANGLES);
  for (let d = apart | 0; d < apart + 1; d++) {
    const ofDistance = share * (1 - Math.abs(apart - d));
    for (let n = angle | 0; n < angle + 1; n++) {
      const ofAngle = ofDistance * (1 - Math.abs(angle - n));
      for (let f = near | 0; f < near + 1; f++) {
        const ofFirst = ofAngle * (1 - Math.abs(near - f));
        for (let s = far | 0; s < far + 1; s++) {
          const pair = f > s ? (f * (f + 1)) / 2 + s : (s * (s + 1)) / 2 + f;
          (histogram[(d * ANGLES + n) * ANGLE_PAIRS + pair] as number) += ofFirst * (1 - Math.abs(far - s));
        }
      }
    }
  }
}

/** Where a number from 0 to 1 is among bins, whose middles are whole numbers. */
function placeOf(share: number, bins: number): number {
  return Math.min(bins - 1, Math.max(0, share * bins - 0.5));
}
