import { IDENTITY, type Matrix4, transformPoints, translation, type Vector3 } from './matrix.ts';
import type { Scene } from './scene.ts';

/** The bounding box of points; infinite and inverted if there are none. */
export interface Bounds {
  readonly minX: number;
  readonly minY: number;
  readonly minZ: number;
  readonly maxX: number;
  readonly maxY: number;
  readonly maxZ: number;
}

const NOTHING: Bounds = {
  minX: Infinity,
  minY: Infinity,
  minZ: Infinity,
  maxX: -Infinity,
  maxY: -Infinity,
  maxZ: -Infinity,
};

/** The bounds of the points in all tables of x, y, z. */
export function boundsOf(tables: readonly Float32Array[]): Bounds {
  let { minX, minY, minZ, maxX, maxY, maxZ } = NOTHING;
  for (const table of tables) {
    for (let i = 0; i + 2 < table.length; i += 3) {
      const x = table[i] as number;
      const y = table[i + 1] as number;
      const z = table[i + 2] as number;
      if (x < minX) minX = x;
      if (x > maxX) maxX = x;
      if (y < minY) minY = y;
      if (y > maxY) maxY = y;
      if (z < minZ) minZ = z;
      if (z > maxZ) maxZ = z;
    }
  }
  return { minX, minY, minZ, maxX, maxY, maxZ };
}

/** The union of several bounds. */
export function unionBounds(all: Iterable<Bounds>): Bounds {
  let { minX, minY, minZ, maxX, maxY, maxZ } = NOTHING;
  for (const bounds of all) {
    minX = Math.min(minX, bounds.minX);
    minY = Math.min(minY, bounds.minY);
    minZ = Math.min(minZ, bounds.minZ);
    maxX = Math.max(maxX, bounds.maxX);
    maxY = Math.max(maxY, bounds.maxY);
    maxZ = Math.max(maxZ, bounds.maxZ);
  }
  return { minX, minY, minZ, maxX, maxY, maxZ };
}

/** Bounds that contain the given ones after transformation; larger than necessary if the matrix rotates. */
export function transformBounds(bounds: Bounds, matrix: Matrix4): Bounds {
  return bounds.minX > bounds.maxX ? NOTHING : boundsOf([transformPoints(matrix, cornersOf(bounds))]);
}

/** The eight corners of bounds. */
export function cornersOf({ minX, minY, minZ, maxX, maxY, maxZ }: Bounds): Float32Array {
  const corners = [minX, maxX].flatMap((x) =>
    [minY, maxY].flatMap((y) => [minZ, maxZ].flatMap((z) => [x, y, z])),
  );
  return Float32Array.from(corners);
}

/** Positions, and the transform that places them. */
interface Placed {
  readonly positions: Float32Array;
  readonly transform: Matrix4;
}

/** All that is placed in a scene or mesh: surfaces, points and lines. */
export function placedIn({
  instances,
  points,
  lines = [],
}: Pick<Scene, 'instances' | 'points' | 'lines'>): Placed[] {
  const surfaces = instances.map(({ geometry: { positions }, transform }) => ({ positions, transform }));
  return [...surfaces, ...points, ...lines];
}

/** The bounds of what is placed. */
export function boundsOfPlaced(placed: readonly Placed[]): Bounds {
  return unionBounds(
    placed.map(({ positions, transform }) => boundsOf([transformPoints(transform, positions)])),
  );
}

/** Bounds that contain what is placed, found without moving its points; larger than necessary if it is rotated. */
export function boxOfPlaced(placed: readonly Placed[]): Bounds {
  return unionBounds(
    placed.map(({ positions, transform }) => transformBounds(boundsOf([positions]), transform)),
  );
}

/** The middle of bounds. */
export function centreOf({ minX, minY, minZ, maxX, maxY, maxZ }: Bounds): Vector3 {
  return [(minX + maxX) / 2, (minY + maxY) / 2, (minZ + maxZ) / 2];
}

/** The longest side; 0 for empty bounds. */
export function longestSide({ minX, minY, minZ, maxX, maxY, maxZ }: Bounds): number {
  return Math.max(0, maxX - minX, maxY - minY, maxZ - minZ);
}

/** Whether two bounds come within a distance of each other along every axis. */
export function areNear(a: Bounds, b: Bounds, distance: number): boolean {
  return (
    a.minX - distance <= b.maxX &&
    b.minX - distance <= a.maxX &&
    a.minY - distance <= b.maxY &&
    b.minY - distance <= a.maxY &&
    a.minZ - distance <= b.maxZ &&
    b.minZ - distance <= a.maxZ
  );
}

/** From this distance on, the steps of 32-bit floats are a millimetre or more of a metre. */
const FAR = 10_000;

/**
 * The point from which positions are counted, so that they keep their precision as 32-bit floats: the first position,
 * if it is far from zero, as in the coordinates of surveys; else zero.
 */
export function originNear(x: number, y: number, z: number): Vector3 {
  const distance = Math.hypot(x, y, z);
  return distance > FAR && distance < Infinity ? [x, y, z] : [0, 0, 0];
}

/** Moves what is counted from an origin back to where it is. */
export function fromOrigin([x, y, z]: Vector3): Matrix4 {
  return x === 0 && y === 0 && z === 0 ? IDENTITY : translation(x, y, z);
}

/** Positions as 32-bit floats, counted from their origin. */
export function fromFirst(values: ArrayLike<number>): { positions: Float32Array; transform: Matrix4 } {
  const origin = originNear(values[0] ?? 0, values[1] ?? 0, values[2] ?? 0);
  const positions = new Float32Array(values.length);
  for (let k = 0; k < values.length; k++) positions[k] = (values[k] as number) - (origin[k % 3] as number);
  return { positions, transform: fromOrigin(origin) };
}
