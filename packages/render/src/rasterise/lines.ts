import { type Camera, project } from '../camera.ts';
import { type Matrix4, multiply, transformPoints } from '../matrix.ts';
import type { LineSet } from '../scene.ts';
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
