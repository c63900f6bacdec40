import { SurfaceReader } from '../shade/surface.ts';
import type { Draw } from './draw.ts';

/** Which triangle each sample of a square picture sees. */
export interface VisibilityBuffer {
  readonly size: number;
  /** 1/depth of the nearest surface, 0 for none. */
  readonly inverseDepth: Float32Array;
  /** Scene-wide number of the nearest triangle, −1 for none. */
  readonly triangle: Int32Array;
}

export function createVisibilityBuffer(size: number): VisibilityBuffer {
  return {
    size,
    inverseDepth: new Float32Array(size * size),
    triangle: new Int32Array(size * size).fill(-1),
  };
}

/** Called for a sample that a triangle covers. `b` and `c` are screen-space weights of its second and third corner. */
type SampleVisitor = (sample: number, inverseDepth: number, b: number, c: number) => void;

/** The winding that triangles must have on the screen to be kept: the sign of their area, or 0 for either. */
type Winding = -1 | 0 | 1;

/** Leaves out the back faces of a draw unless its material is double-sided. */
export function windingOf({ material, mirrored }: Draw): Winding {
  if (material.doubleSided) return 0;
  return mirrored ? 1 : -1;
}

/** Rasterises the triangles of a draw into the buffer. `screen` holds x, y, 1/depth per vertex. */
export function rasterise(
  { size, inverseDepth, triangle }: VisibilityBuffer,
  indices: Uint32Array,
  firstTriangle: number,
  screen: Float32Array,
  winding: Winding,
): void {
  const last = size - 1;
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
    if (area === 0 || area * winding < 0) continue;

    const x0 = Math.max(0, Math.ceil(ax + Math.min(0, bx, cx) - 0.5)) | 0;
    const x1 = Math.min(last, Math.floor(ax + Math.max(0, bx, cx) - 0.5)) | 0;
    const y0 = Math.max(0, Math.ceil(ay + Math.min(0, by, cy) - 0.5)) | 0;
    const y1 = Math.min(last, Math.floor(ay + Math.max(0, by, cy) - 0.5)) | 0;
    if (x0 > x1 || y0 > y1) continue;

    const wa = screen[a + 2] as number;
    const wb = (screen[b + 2] as number) - wa;
    const wc = (screen[c + 2] as number) - wa;
    // How the weights of b, c and a, and the depth, change from sample to sample of a row and from row to row.
    const share = 1 / area;
    const stepBx = cy * share;
    const stepBy = -cx * share;
    const stepCx = -by * share;
    const stepCy = bx * share;
    const stepAx = -stepBx - stepCx;
    const crossB = -1 / stepBx;
    const crossC = -1 / stepCx;
    const crossA = -1 / stepAx;
    const stepW = wb * stepBx + wc * stepCx;
    const startX = x0 + 0.5 - ax;
    const most = x1 - x0;
    for (let y = y0; y <= y1; y++) {
      const dy = y + 0.5 - ay;
      const startB = stepBx * startX + stepBy * dy;
      const startC = stepCx * startX + stepCy * dy;
      const startA = 1 - startB - startC;
      // The samples of the row on which no weight is negative.
      let from = 0;
      let to = most;
      if (stepBx > 0) from = Math.max(from, startB * crossB - ON_EDGE);
      else if (stepBx < 0) to = Math.min(to, startB * crossB + ON_EDGE);
      else if (startB < 0) continue;
      if (stepCx > 0) from = Math.max(from, startC * crossC - ON_EDGE);
      else if (stepCx < 0) to = Math.min(to, startC * crossC + ON_EDGE);
      else if (startC < 0) continue;
      if (stepAx > 0) from = Math.max(from, startA * crossA - ON_EDGE);
      else if (stepAx < 0) to = Math.min(to, startA * crossA + ON_EDGE);
      else if (startA < 0) continue;
      const first = Math.ceil(from) | 0;
      const end = (y * size + x0 + Math.floor(to)) | 0;
      let w = wa + wb * startB + wc * startC + stepW * first;
      for (let sample = (y * size + x0 + first) | 0; sample <= end; sample++) {
        if (w > (inverseDepth[sample] as number)) {
          inverseDepth[sample] = w;
          triangle[sample] = id;
        }
        w += stepW;
      }
    }
  }
}

/** Samples this close to an edge belong to both of its triangles, so that rounding leaves no gap between them. */
const ON_EDGE = 1e-7;

/** Visits every sample that one triangle of a draw covers, regardless of what is in front of it. */
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
  if (area === 0 || area * windingOf(draw) < 0) return;
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

/** Rasterises the triangles of an alpha-masked draw: samples below the cutoff are holes. */
export function rasteriseMasked(buffer: VisibilityBuffer, draw: Draw, screen: Float32Array): void {
  const reader = new SurfaceReader(draw, screen, 1);
  const cutoff = draw.material.alphaCutoff;
  for (let first = 0; first + 2 < draw.indices.length; first += 3) {
    const id = draw.firstTriangle + first / 3;
    visitTriangle(buffer.size, draw, screen, first, (sample, inverseDepth, u, v) => {
      if (inverseDepth <= (buffer.inverseDepth[sample] as number)) return;
      reader.enter(first);
      if (reader.alphaAt(u, v) < cutoff) return;
      buffer.inverseDepth[sample] = inverseDepth;
      buffer.triangle[sample] = id;
    });
  }
}
