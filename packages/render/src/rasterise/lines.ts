import { type Matrix4, multiply, transformPoints } from '@bindery/formats/model/matrix';
import type { LineSet, PointCloud } from '@bindery/formats/model/scene';
import { type Camera, project } from '../camera.ts';
import type { VisibilityBuffer } from './visibility.ts';

interface WorldLines extends Pick<LineSet, 'ends' | 'color' | 'colors'> {
  readonly positions: Float32Array;
}

/** Transforms lines to the drawing frame. */
export function toWorldLines({ positions, transform, ...lines }: LineSet, frame: Matrix4): WorldLines {
  return { ...lines, positions: transformPoints(multiply(frame, transform), positions) };
}

/** Half of a line's width, in samples. */
const RADIUS = 1.6;
/** Puts lines that are on a surface, such as along an edge, in front of it. */
const NEARER = 1.001;

/** Draws lines of one width, round at their ends, nearer ones in front. */
export function drawLines(
  camera: Camera,
  lines: WorldLines,
  visible: VisibilityBuffer,
  samples: Float32Array,
): void {
  const screen = project(camera, lines.positions, visible.size);
  for (let line = 0; line + 1 < lines.ends.length; line += 2) {
    drawLine(lines, lines.ends[line] as number, lines.ends[line + 1] as number, screen, visible, samples);
  }
}

function drawLine(
  lines: WorldLines,
  from: number,
  to: number,
  screen: Float32Array,
  { size, inverseDepth }: VisibilityBuffer,
  samples: Float32Array,
): void {
  const [ax, ay, aw] = [
    screen[from * 3] as number,
    screen[from * 3 + 1] as number,
    screen[from * 3 + 2] as number,
  ];
  const [bx, by, bw] = [screen[to * 3] as number, screen[to * 3 + 1] as number, screen[to * 3 + 2] as number];
  const [dx, dy] = [bx - ax, by - ay];
  const squared = dx * dx + dy * dy;
  if (!(squared < Infinity)) return;
  const isFlat = Math.abs(dx) >= Math.abs(dy);
  // Along the axis in which the line is longer, each column (or row) holds a short span around it.
  const [start, end] = isFlat ? [Math.min(ax, bx), Math.max(ax, bx)] : [Math.min(ay, by), Math.max(ay, by)];
  for (
    let major = Math.max(0, Math.ceil(start - RADIUS));
    major <= Math.min(size - 1, end + RADIUS);
    major++
  ) {
    const along =
      squared === 0 ? 0 : Math.min(1, Math.max(0, isFlat ? (major - ax) / dx : (major - ay) / dy));
    const centre = isFlat ? ay + along * dy : ax + along * dx;
    const reach = RADIUS * Math.SQRT2;
    for (
      let minor = Math.max(0, Math.ceil(centre - reach));
      minor <= Math.min(size - 1, centre + reach);
      minor++
    ) {
      const [x, y] = isFlat ? [major, minor] : [minor, major];
      const t = squared === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / squared));
      if ((x - ax - t * dx) ** 2 + (y - ay - t * dy) ** 2 > RADIUS * RADIUS) continue;
      const sample = y * size + x;
      const w = aw + t * (bw - aw);
      if (w * NEARER <= (inverseDepth[sample] as number)) continue;
      inverseDepth[sample] = w;
      for (let k = 0; k < 3; k++) {
        const color = lines.colors;
        const share =
          color === undefined
            ? 1
            : (color[from * 3 + k] as number) * (1 - t) + (color[to * 3 + k] as number) * t;
        samples[sample * 4 + k] = (lines.color[k] as number) * share;
      }
      samples[sample * 4 + 3] = 1;
    }
  }
}

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
