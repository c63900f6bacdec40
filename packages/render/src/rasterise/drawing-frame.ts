import { boundsOf, longestSide, transformBounds, unionBounds } from '../geometry/bounds.ts';
import { IDENTITY, type Matrix4, multiply, translation } from '../matrix.ts';
import type { Front, Scene } from '../scene.ts';

/** From a Z-up frame to the drawing frame, Y up, with its front facing along Z, towards the viewer. */
const TURNS: Readonly<Record<Front, Matrix4>> = {
  x: [0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1],
  '-x': [0, 0, -1, 0, -1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1],
  y: [-1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1],
  '-y': [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1],
};

/** At this many times its size from the origin, a model would lose its shape to the rounding of 32-bit floats. */
const FAR = 1_000;

/** From the frame of a scene to the drawing frame; a scene far from its origin is moved to it. */
export function drawingFrame(scene: Scene): Matrix4 {
  const turn = scene.up === 'z' ? TURNS[scene.front ?? 'x'] : IDENTITY;
  const bounds = unionBounds([
    ...scene.instances.map(({ geometry, transform }) =>
      transformBounds(boundsOf([geometry.positions]), transform),
    ),
    ...[...scene.points, ...(scene.lines ?? [])].map(({ positions, transform }) =>
      transformBounds(boundsOf([positions]), transform),
    ),
  ]);
  const centre = [
    (bounds.minX + bounds.maxX) / 2,
    (bounds.minY + bounds.maxY) / 2,
    (bounds.minZ + bounds.maxZ) / 2,
  ] as const;
  const isFar = Math.hypot(...centre) > FAR * longestSide(bounds);
  return isFar ? multiply(turn, translation(-centre[0], -centre[1], -centre[2])) : turn;
}
