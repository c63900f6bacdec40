import { cross, determinant3, type Matrix4, multiply, subtract, transpose, type Vector3 } from './matrix.ts';
import type { Inertial } from './mechanism.ts';
import { distinctTriples } from './normals.ts';

/** Triangles in double precision, as they come from a mesh or a convex hull. */
export interface TriangleMesh {
  /** x, y, z per vertex, in metres. */
  readonly positions: Float64Array;
  /** Three vertex indices per triangle. */
  readonly indices: Uint32Array;
}

/** What a solid of density 1 weighs, and how it resists rotation. */
export interface SolidMoments {
  /** In cubic metres; negative if the triangles face inwards. */
  readonly volume: number;
  /** Integrals of x, y, z over the volume. */
  readonly first: Vector3;
  /** Integrals of x², y², z², xy, xz, yz over the volume. */
  readonly second: readonly [number, number, number, number, number, number];
}

/**
 * Integrates over what triangles enclose, as signed tetrahedra from the origin (Blow and Binstock, "How to find the
 * inertia tensor of a 3D solid body", 2004).
 */
export function momentsOf(mesh: TriangleMesh): SolidMoments {
  const six = (a: Vector3, b: Vector3, c: Vector3) =>
    a[0] * (b[1] * c[2] - b[2] * c[1]) +
    a[1] * (b[2] * c[0] - b[0] * c[2]) +
    a[2] * (b[0] * c[1] - b[1] * c[0]);
  return summedMoments(mesh, six, [6, 24, 120]);
}

/** Of all triangles, what each has of a size, divided for the volume, the first and the second moments. */
function summedMoments(
  mesh: TriangleMesh,
  sizeOf: (a: Vector3, b: Vector3, c: Vector3) => number,
  [ofVolume, ofFirst, ofSecond]: Vector3,
): SolidMoments {
  let volume = 0;
  const first: [number, number, number] = [0, 0, 0];
  const second: [number, number, number, number, number, number] = [0, 0, 0, 0, 0, 0];
  for (let at = 0; at < mesh.indices.length; at += 3) {
    const [a, b, c] = [cornerOf(mesh, at), cornerOf(mesh, at + 1), cornerOf(mesh, at + 2)];
    const size = sizeOf(a, b, c);
    volume += size / ofVolume;
    const sum: Vector3 = [a[0] + b[0] + c[0], a[1] + b[1] + c[1], a[2] + b[2] + c[2]];
    for (const axis of AXES) first[axis] += (size * sum[axis]) / ofFirst;
    for (const [at, [i, j]] of PRODUCTS.entries())
      second[at] =
        (second[at] ?? 0) + (size * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + sum[i] * sum[j])) / ofSecond;
  }
  return { volume, first, second };
}

/** The corner at a place of the indices. */
export function cornerOf({ positions, indices }: TriangleMesh, at: number): Vector3 {
  const start = (indices[at] ?? 0) * 3;
  return [positions[start] ?? 0, positions[start + 1] ?? 0, positions[start + 2] ?? 0];
}

const AXES = [0, 1, 2] as const;
const PRODUCTS = [
  [0, 0],
  [1, 1],
  [2, 2],
  [0, 1],
  [0, 2],
  [1, 2],
] as const;

/** Of a solid that a matrix moves, turns and scales. */
export function movedMoments({ volume, first, second }: SolidMoments, matrix: Matrix4): SolidMoments {
  const [[x, y, z], [xx, yy, zz, xy, xz, yz]] = [first, second];
  // The integral of p·pᵀ over points with a fourth coordinate of 1.
  const own: Matrix4 = [xx, xy, xz, x, xy, yy, yz, y, xz, yz, zz, z, x, y, z, volume];
  const moved = multiply(multiply(matrix, own), transpose(matrix));
  const larger = Math.abs(determinant3(matrix));
  const at = (index: number) => larger * (moved[index] ?? 0);
  return {
    volume: at(15),
    first: [at(12), at(13), at(14)],
    second: [at(0), at(5), at(10), at(1), at(2), at(6)],
  };
}

/** Of several solids that do not overlap. */
export function sumOfMoments(all: readonly SolidMoments[]): SolidMoments {
  const total = (value: (one: SolidMoments) => number): number =>
    all.reduce((sum, one) => sum + value(one), 0);
  return {
    volume: total(({ volume }) => volume),
    first: [total(({ first }) => first[0]), total(({ first }) => first[1]), total(({ first }) => first[2])],
    second: [
      total(({ second }) => second[0]),
      total(({ second }) => second[1]),
      total(({ second }) => second[2]),
      total(({ second }) => second[3]),
      total(({ second }) => second[4]),
      total(({ second }) => second[5]),
    ],
  };
}

/** Of walls of this thickness, in metres, where the triangles are. */
export function momentsOfWalls(mesh: TriangleMesh, thickness: number): SolidMoments {
  const sizeOf = (a: Vector3, b: Vector3, c: Vector3) =>
    (thickness * Math.hypot(...cross(subtract(b, a), subtract(c, a)))) / 2;
  return summedMoments(mesh, sizeOf, [1, 3, 12]);
}

/** The inertial of a solid of one material, in kilograms per cubic metre. */
export function inertialOf({ volume, first, second }: SolidMoments, density: number): Inertial {
  const center: Vector3 = [first[0] / volume, first[1] / volume, first[2] / volume];
  // The second moments about the centre.
  const about = (at: 0 | 1 | 2 | 3 | 4 | 5): number => {
    const [i, j] = PRODUCTS[at];
    return density * (second[at] - volume * center[i] * center[j]);
  };
  const [xx, yy, zz] = [about(0), about(1), about(2)];
  return {
    mass: density * volume,
    center,
    inertia: [yy + zz, xx + zz, xx + yy, -about(3), -about(4), -about(5)],
  };
}

/** Whether every edge of a mesh has a triangle on either side, so that it encloses a volume. */
export function isClosed({ positions, indices }: TriangleMesh): boolean {
  const { of: places, firsts } = placesOf(positions);
  // How often an edge is walked from its first to its second end, less how often the other way.
  const walked = new Map<number, number>();
  for (let at = 0; at < indices.length; at++) {
    const from = places[indices[at] ?? 0] ?? 0;
    const to = places[indices[at % 3 === 2 ? at - 2 : at + 1] ?? 0] ?? 0;
    const [edge, way] = from < to ? [from * firsts.length + to, 1] : [to * firsts.length + from, -1];
    const left = (walked.get(edge) ?? 0) + way;
    if (left === 0) walked.delete(edge);
    else walked.set(edge, left);
  }
  return walked.size === 0;
}

function placesOf(positions: Float64Array) {
  return distinctTriples(new Uint32Array(Float32Array.from(positions).buffer));
}

/** Of the cube around a mesh: what rounding leaves of a volume of nothing. */
const NOTHING = 1e-9;

/** A mesh in which each face is once. Where both of its sides are faces, one of them is left. */
export function withFacesOnce(mesh: TriangleMesh): TriangleMesh {
  const once = distinctFaces(mesh, ([a, b, c]) =>
    a < b && a < c ? [a, b, c] : b < c ? [b, c, a] : [c, a, b],
  );
  const isSolid = Math.abs(momentsOf(once).volume) > NOTHING * longestSide(once) ** 3;
  return isSolid || !isClosed(once) ? once : distinctFaces(once, (face) => face.toSorted((a, b) => a - b));
}

/** The first of all faces whose corners, as ordered by `order`, are at the same places. */
function distinctFaces(
  { positions, indices }: TriangleMesh,
  order: (face: [number, number, number]) => readonly number[],
): TriangleMesh {
  const { of: places } = placesOf(positions);
  const words = new Uint32Array(indices.length);
  const place = (corner: number) => places[indices[corner] ?? 0] ?? 0;
  for (let at = 0; at < indices.length; at += 3)
    words.set(order([place(at), place(at + 1), place(at + 2)]), at);
  const { firsts } = distinctTriples(words);
  const kept = new Uint32Array(firsts.length * 3);
  for (const [face, first] of firsts.entries())
    kept.set(indices.subarray(first * 3, first * 3 + 3), face * 3);
  return { positions, indices: kept };
}

export function longestSide(mesh: TriangleMesh): number {
  const [low, high] = cornersOf(mesh);
  return Math.max(...subtract(high, low));
}

/** The corners of the box around the triangles. */
export function cornersOf({ positions, indices }: TriangleMesh): readonly [low: Vector3, high: Vector3] {
  const low: [number, number, number] = [Infinity, Infinity, Infinity];
  const high: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  for (const vertex of indices) {
    for (const axis of AXES) {
      const value = positions[vertex * 3 + axis] ?? 0;
      if (value < low[axis]) low[axis] = value;
      if (value > high[axis]) high[axis] = value;
    }
  }
  return [low, high];
}
