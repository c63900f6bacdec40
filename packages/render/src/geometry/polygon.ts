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
  const areas = [0, 0, 0];
  for (let corner = 0, last = count - 1; corner < count; last = corner++) {
    for (const axis of [0, 1, 2] as const) {
      const [u, v] = OTHERS[axis];
      areas[axis] = (areas[axis] ?? 0) + at(last, u) * at(corner, v) - at(corner, u) * at(last, v);
    }
  }
  const largest = Math.max(...areas.map(Math.abs));
  const axis = areas.findIndex((area) => Math.abs(area) === largest);
  const others = OTHERS[axis];
  if (others === undefined || !(largest > 0)) return undefined;
  const [u, v] = (areas[axis] ?? 0) > 0 ? others : [others[1], others[0]];
  return Array.from({ length: count }, (_, corner) => [at(corner, u), at(corner, v)]).flat();
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
