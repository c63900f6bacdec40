/**
 * The model that the tests draw in every format: a narrow red tower on a wide green base, two units tall, standing on
 * the floor. Which way is up shows in its shape and in its colours.
 */
export interface PylonPart {
  readonly name: 'base' | 'tower';
  /** sRGB, 0 to 1. */
  readonly color: readonly [number, number, number];
  /** x, y, z per corner, three corners a triangle, counter-clockwise from outside. */
  readonly positions: readonly number[];
}

export function pylon(up: 'y' | 'z' = 'y'): readonly PylonPart[] {
  return [
    { name: 'base', color: [0.1, 0.7, 0.2], positions: block([-1, 0, -1], [1, 0.4, 1], up) },
    { name: 'tower', color: [0.85, 0.1, 0.1], positions: block([-0.3, 0.4, -0.3], [0.3, 2, 0.3], up) },
  ];
}

/** The triangles of an axis-aligned block, given with Y up. */
function block(low: readonly number[], high: readonly number[], up: 'y' | 'z'): number[] {
  const corner = (index: number) =>
    [0, 1, 2].map((axis) => (index & (1 << axis) ? high[axis] : low[axis]) as number);
  return FACES.flatMap(([a, b, c, d]) => [a, b, c, a, c, d]).flatMap((index) => {
    const [x, y, z] = corner(index as number) as [number, number, number];
    return up === 'y' ? [x, y, z] : [x, -z, y];
  });
}

const FACES = [
  [0, 4, 6, 2],
  [1, 3, 7, 5],
  [0, 1, 5, 4],
  [2, 6, 7, 3],
  [0, 2, 3, 1],
  [4, 5, 7, 6],
] as const;
