import { type Matrix4, multiply } from '@bindery/render/models';

/** Quarter turns about X. `Z_TO_Y` maps Z to Y, and Y to −Z; `Y_TO_Z` is its inverse. */
const Z_TO_Y: Matrix4 = [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1];
const Y_TO_Z: Matrix4 = [1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1];

/** Returns the frame of a file whose author intended another up axis. */
export function withUpAxis(frame: Matrix4, stated: 'y' | 'z', meant: 'y' | 'z'): Matrix4 {
  if (stated === meant) return frame;
  return multiply(frame, meant === 'z' ? Z_TO_Y : Y_TO_Z);
}

/** Returns the dimensions of a Y-up box in the file's axes; furniture may have been turned about the vertical axis. */
export function sizeIn(
  { x, y, z }: { readonly x: number; readonly y: number; readonly z: number },
  up: 'y' | 'z',
): [number, number, number] {
  return up === 'y' ? [x, y, z] : [z, x, y];
}
