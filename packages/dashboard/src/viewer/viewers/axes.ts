import { type Matrix4, multiply } from '@bindery/render/models';

/** A quarter turn about X: what points along Z points along Y, and along −Y what points along Z. */
const Z_TO_Y: Matrix4 = [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1];
const Y_TO_Z: Matrix4 = [1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1];

/** The frame of a file whose author meant another axis to point up. */
export function turnedUp(frame: Matrix4, stated: 'y' | 'z', meant: 'y' | 'z'): Matrix4 {
  if (stated === meant) return frame;
  return multiply(frame, meant === 'z' ? Z_TO_Y : Y_TO_Z);
}

/** The sides of a box that stands with Y up, in the axes of the file: furniture may be turned about the vertical. */
export function sizeIn(
  { x, y, z }: { readonly x: number; readonly y: number; readonly z: number },
  up: 'y' | 'z',
): [number, number, number] {
  return up === 'y' ? [x, y, z] : [z, x, y];
}
