import { compose, type Matrix4 } from '../model/matrix.ts';

/** From a position and a quaternion w, x, y, z. */
export function placement(position: ArrayLike<number>, turn: ArrayLike<number>): Matrix4 {
  const [x = 0, y = 0, z = 0] = Array.from(position);
  const [w = 1, i = 0, j = 0, k = 0] = Array.from(turn);
  return compose([x, y, z], [i, j, k, w], [1, 1, 1]);
}

/** One row of a table of a model. */
export function row(values: unknown, index: number, width: number): number[] {
  return Array.from((values as Float64Array).subarray(index * width, (index + 1) * width));
}

export function pair(values: unknown, index: number): [number, number] {
  const [lower = 0, upper = 0] = row(values, index, 2);
  return [lower, upper];
}

export function integer(values: unknown, index: number): number {
  return (values as Int32Array)[index] ?? 0;
}
