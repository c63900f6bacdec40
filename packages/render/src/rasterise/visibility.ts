import type { Draw } from './draw.ts';

/** Which triangle each sample of a square picture sees. */
export interface VisibilityBuffer {
  readonly size: number;
  /** 1/depth of the nearest surface, 0 where there is none. */
  readonly inverseDepth: Float32Array;
  /** Scene-wide number of the nearest triangle, −1 where there is none. */
  readonly triangle: Int32Array;
}

export function createVisibilityBuffer(size: number): VisibilityBuffer {
  return {
    size,
    inverseDepth: new Float32Array(size * size),
    triangle: new Int32Array(size * size).fill(-1),
  };
}

/** Called for a sample that a triangle covers: its index in the buffer and the screen-space weights of the corners. */
export type SampleVisitor = (sample: number, inverseDepth: number, b: number, c: number) => void;

/** Whether the back of this draw's triangles is left out. */
function keepsSign(draw: Draw): number {
  if (draw.material.doubleSided) return 0;
  return draw.mirrored ? 1 : -1;
}

/** Enters the triangles of an opaque draw into the buffer. `screen` holds x, y, 1/depth per vertex. */
export function rasteriseOpaque(buffer: VisibilityBuffer, draw: Draw, screen: Float32Array): void {
  const { size, inverseDepth, triangle } = buffer;
  const { indices, firstTriangle } = draw;
  const side = keepsSign(draw);
  for (let i = 0, id = firstTriangle; i + 2 < indices.length; i += 3, id++) {
    const a = (indices[i] as number) * 3;
    const b = (indices[i + 1] as number) * 3;
    const c = (indices[i + 2] as number) * 3;
    const ax = screen[a] as number;
    const ay = screen[a + 1] as number;
    const bx = (screen[b] as number) - ax;
    const by = (screen[b + 1] as number) - ay;
    const cx = (screen[c] as number) - ax;
    const cy = (screen[c + 1] as number) - ay;
    const area = bx * cy - by * cx;
    if (area === 0 || area * side < 0) continue;

    const x0 = Math.max(0, Math.ceil(ax + Math.min(0, bx, cx) - 0.5));
    const x1 = Math.min(size - 1, Math.floor(ax + Math.max(0, bx, cx) - 0.5));
    const y0 = Math.max(0, Math.ceil(ay + Math.min(0, by, cy) - 0.5));
    const y1 = Math.min(size - 1, Math.floor(ay + Math.max(0, by, cy) - 0.5));
    if (x0 > x1 || y0 > y1) continue;

    const wa = screen[a + 2] as number;
    const wb = (screen[b + 2] as number) - wa;
    const wc = (screen[c + 2] as number) - wa;
    const stepBx = cy / area;
    const stepBy = -cx / area;
    const stepCx = -by / area;
    const stepCy = bx / area;
    const startX = x0 + 0.5 - ax;
    for (let y = y0; y <= y1; y++) {
      const dy = y + 0.5 - ay;
      let u = stepBx * startX + stepBy * dy;
      let v = stepCx * startX + stepCy * dy;
      let sample = y * size + x0;
      for (let x = x0; x <= x1; x++, sample++, u += stepBx, v += stepCx) {
        if (u < 0 || v < 0 || u + v > 1) continue;
        const w = wa + wb * u + wc * v;
        if (w > (inverseDepth[sample] as number)) {
          inverseDepth[sample] = w;
          triangle[sample] = id;
        }
      }
    }
  }
}

/** Visits every sample that one triangle of a draw covers, whatever lies in front of it. */
export function visitTriangle(
  size: number,
  draw: Draw,
  screen: Float32Array,
  first: number,
  visit: SampleVisitor,
): void {
  const a = (draw.indices[first] as number) * 3;
  const b = (draw.indices[first + 1] as number) * 3;
  const c = (draw.indices[first + 2] as number) * 3;
  const ax = screen[a] as number;
  const ay = screen[a + 1] as number;
  const bx = (screen[b] as number) - ax;
  const by = (screen[b + 1] as number) - ay;
  const cx = (screen[c] as number) - ax;
  const cy = (screen[c + 1] as number) - ay;
  const area = bx * cy - by * cx;
  if (area === 0 || area * keepsSign(draw) < 0) return;
  const x0 = Math.max(0, Math.ceil(ax + Math.min(0, bx, cx) - 0.5));
  const x1 = Math.min(size - 1, Math.floor(ax + Math.max(0, bx, cx) - 0.5));
  const y0 = Math.max(0, Math.ceil(ay + Math.min(0, by, cy) - 0.5));
  const y1 = Math.min(size - 1, Math.floor(ay + Math.max(0, by, cy) - 0.5));
  const wa = screen[a + 2] as number;
  const wb = (screen[b + 2] as number) - wa;
  const wc = (screen[c + 2] as number) - wa;
  for (let y = y0; y <= y1; y++) {
    const dy = y + 0.5 - ay;
    for (let x = x0; x <= x1; x++) {
      const dx = x + 0.5 - ax;
      const u = (cy * dx - cx * dy) / area;
      const v = (bx * dy - by * dx) / area;
      if (u < 0 || v < 0 || u + v > 1) continue;
      visit(y * size + x, wa + wb * u + wc * v, u, v);
    }
  }
}
