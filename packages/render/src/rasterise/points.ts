import { type Camera, project } from '../camera.ts';
import { type Matrix4, multiply, transformPoints } from '../matrix.ts';
import type { PointCloud } from '../scene.ts';
import type { VisibilityBuffer } from './visibility.ts';

interface WorldPoints {
  readonly positions: Float32Array;
  readonly colors: Float32Array | undefined;
}

export function toWorldPoints(cloud: PointCloud, frame: Matrix4): WorldPoints {
  return {
    positions: transformPoints(multiply(frame, cloud.transform), cloud.positions),
    colors: cloud.colors,
  };
}

const PLAIN = 0.35;

/** Draws points as discs, larger the fewer they are, nearer ones in front. */
export function drawPoints(
  camera: Camera,
  points: WorldPoints,
  visible: VisibilityBuffer,
  samples: Float32Array,
): void {
  const { size, inverseDepth } = visible;
  const screen = project(camera, points.positions, size);
  const count = screen.length / 3;
  const radius = Math.min(10, Math.max(1.2, size / (2.2 * Math.sqrt(count))));
  for (let point = 0; point < count; point++) {
    const x = screen[point * 3] as number;
    const y = screen[point * 3 + 1] as number;
    const w = screen[point * 3 + 2] as number;
    if (!(x >= 0 && x < size && y >= 0 && y < size)) continue;
    for (let sy = Math.max(0, Math.ceil(y - radius)); sy <= Math.min(size - 1, y + radius); sy++) {
      for (let sx = Math.max(0, Math.ceil(x - radius)); sx <= Math.min(size - 1, x + radius); sx++) {
        const sample = sy * size + sx;
        if ((sx - x) ** 2 + (sy - y) ** 2 > radius * radius || w <= (inverseDepth[sample] as number))
          continue;
        inverseDepth[sample] = w;
        for (let k = 0; k < 3; k++) samples[sample * 4 + k] = points.colors?.[point * 3 + k] ?? PLAIN;
        samples[sample * 4 + 3] = 1;
      }
    }
  }
}
