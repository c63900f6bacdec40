import { type Matrix4, multiply } from '@bindery/render/models';

/** Quarter turns about X. `Z_TO_Y` maps Z to Y, and Y to −Z; `Y_TO_Z` is its inverse. */
const Z_TO_Y: Matrix4 = [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1];
const Y_TO_Z: Matrix4 = [1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1];

/** Returns the frame of a file whose author intended another up axis. */
export function withUpAxis(frame: Matrix4, stated: 'y' | 'z', meant: 'y' | 'z'): Matrix4 {
  if (stated === meant) return frame;
  return multiply(frame, meant === 'z' ? Z_TO_Y : Y_TO_Z);
}

/** Width, depth and height of a box with Y up, as it is seen from the front. */
export function sizeOf({ x, y, z }: Readonly<Record<'x' | 'y' | 'z', number>>): [number, number, number] {
  return [x, z, y];
}
