import type { Vector3 } from '@bindery/formats/model/matrix';

/** Values of mjtJoint. */
export const JOINT = { free: 0, slide: 2, hinge: 3 } as const;
/** Values of mjtGeom. */
export const GEOM = {
  plane: 0,
  hfield: 1,
  sphere: 2,
  capsule: 3,
  ellipsoid: 4,
  cylinder: 5,
  box: 6,
  mesh: 7,
} as const;

/** A number of a view of MuJoCo's memory. */
export function at(values: unknown, index: number): number {
  return (values as ArrayLike<number>)[index] ?? 0;
}

/** A row of a table in MuJoCo's memory. */
export function tuple(values: unknown, index: number, width: number): number[] {
  return Array.from({ length: width }, (_, column) => at(values, index * width + column));
}

export function vector(values: unknown, index: number): Vector3 {
  return [at(values, index * 3), at(values, index * 3 + 1), at(values, index * 3 + 2)];
}

/** As messages show numbers. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
