import earcut from 'earcut';

/** A coordinate of a polygon's corner. */
export type CornerCoordinate = (corner: number, axis: 0 | 1 | 2) => number;

/**
 * Calls `add` for each triangle of a polygon, with the numbers of its corners: a fan, or for a polygon that is not convex
 * triangles that are all inside of it.
 */
export function triangulate(
  count: number,
  at: CornerCoordinate,
  add: (a: number, b: number, c: number) => void,
): void {
  const plane = count > 3 ? projectionOf(count, at) : undefined;
  if (plane === undefined || isConvex(plane)) {
    for (let corner = 1; corner + 1 < count; corner++) add(0, corner, corner + 1);
    return;
  }
  const triangles = earcut(plane);
  const isTurned = turnOf(plane, triangles[0] ?? 0, triangles[1] ?? 0, triangles[2] ?? 0) < 0;
  for (let k = 0; k + 2 < triangles.length; k += 3) {
    const [a = 0, b = 0, c = 0] = triangles.slice(k, k + 3);
    if (isTurned) add(a, c, b);
    else add(a, b, c);
  }
}

/** The corners in the plane of two axes in which the polygon is largest and counter-clockwise; undefined without area. */
function projectionOf(count: number, at: CornerCoordinate): number[] | undefined {
  let [x, y, z] = [0, 0, 0];
  for (let corner = 0, last = count - 1; corner < count; last = corner++) {
    const [x0, y0, z0] = [at(last, 0), at(last, 1), at(last, 2)];
    const [x1, y1, z1] = [at(corner, 0), at(corner, 1), at(corner, 2)];
    x += y0 * z1 - y1 * z0;
    y += z0 * x1 - z1 * x0;
    z += x0 * y1 - x1 * y0;
  }
  const [ax, ay, az] = [Math.abs(x), Math.abs(y), Math.abs(z)];
  if (!(Math.max(ax, ay, az) > 0)) return undefined;
  const axis = ax >= ay && ax >= az ? 0 : ay >= az ? 1 : 2;
  const [left, right] = OTHERS[axis];
  const [u, v] = ([x, y, z][axis] as number) > 0 ? [left, right] : [right, left];
  const plane: number[] = [];
  for (let corner = 0; corner < count; corner++) plane.push(at(corner, u), at(corner, v));
  return plane;
}

/** The two axes other than one, such that the three are right-handed. */
const OTHERS = [
  [1, 2],
  [2, 0],
  [0, 1],
] as const;

function isConvex(plane: readonly number[]): boolean {
  const count = plane.length / 2;
  let size = 0;
  for (let k = 0; k < plane.length; k++)
    size = Math.max(size, Math.abs((plane[k] ?? 0) - (plane[k % 2] ?? 0)));
  for (let corner = 0; corner < count; corner++) {
    if (turnOf(plane, corner, (corner + 1) % count, (corner + 2) % count) < -1e-9 * size * size) return false;
  }
  return true;
}

/** Positive where a path through three corners turns left. */
function turnOf(plane: readonly number[], a: number, b: number, c: number): number {
  const of = (corner: number, axis: 0 | 1) => plane[corner * 2 + axis] ?? 0;
  return (of(b, 0) - of(a, 0)) * (of(c, 1) - of(b, 1)) - (of(b, 1) - of(a, 1)) * (of(c, 0) - of(b, 0));
}
