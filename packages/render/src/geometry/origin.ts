import { IDENTITY, type Matrix4, translation, type Vector3 } from '../matrix.ts';

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
